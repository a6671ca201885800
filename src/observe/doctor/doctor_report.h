// What the doctor found in a data set: plain values that examine_set() fills and doctor_document.h
// renders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/time.h"
#include "dataset/dataset_report.h"
#include "doctor/clip_measures.h"
#include "doctor/doctor_rules.h"
#include "locale/translator.h"

namespace qanat {

// One thing that is wrong with one clip.
struct ClipFinding {
  DoctorRuleKind rule = DoctorRuleKind::unreadable;
  std::uint32_t item = 0;  // of the manifest
  double strength = 0;     // findings of a rule stand by it, the strongest first
  Message detail;          // the evidence, in numbers
  ViewAction action = ViewAction::check;
  std::optional<KeptPart> kept{};  // of ViewAction::trim
};

struct SkippedRule {
  DoctorRuleKind rule = DoctorRuleKind::unreadable;
  Message why;
};

// What a command heard in a clip.
struct HeardWords {
  std::string text;
  std::string difference;  // "the -cat- {bat} sat": words of the text that are missing, and others
  double error_rate = 0;
};

struct DoctorReport {
  Manifest manifest;             // what is judged; problems: rows that no reader can use
  std::vector<Seconds> lengths;  // of every utterance; 0: unreadable
  std::vector<std::optional<ClipMeasures>> measures;  // of every utterance
  std::vector<std::optional<HeardWords>> heard;       // of every utterance; empty: nobody listened

  std::vector<ClipFinding> findings;  // by rule, the strongest first
  std::vector<SkippedRule> skipped;   // rules that nothing can be said by, and why

  SetTotal all;
  SetTotal good;                    // without what a view drops, and without what it trims
  std::int64_t flagged = 0;         // utterances with a finding
  std::vector<MessageArg> missing;  // what a voice would need and the set hardly has
  std::vector<MessageArg> notes;
};

// One line for each utterance and action, in the order of the set: the first thing to know about an
// utterance that is dropped is why.
DataView view_of(const DoctorReport& report, const Translator& words);

}  // namespace qanat
