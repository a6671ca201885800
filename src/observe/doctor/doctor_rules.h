// The rules of `qanat data doctor`, as data: what each looks for, what a view does about it, and
// the sentences that `qanat rules DOC003` says. Who judges by them: sound_rules.h, text_rules.h,
// repeated_sound.h, word_rules.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dataset/data_view.h"
#include "diagnose/rules.h"

namespace qanat {

// In the order of their ids.
enum class DoctorRuleKind : std::uint8_t {
  unreadable,
  no_sound,
  silent_ends,
  long_pause,
  starts_inside,
  ends_inside,
  clipping,
  level,
  offset,
  narrow_band,
  lossy,
  noise,
  hum,
  same_sound,
  same_text,
  pace,
  other_language,
  other_sound,
  other_words,
};

inline constexpr std::size_t kNumDoctorRules =
    static_cast<std::size_t>(DoctorRuleKind::other_words) + 1;

struct DoctorRule {
  std::string_view id;
  RuleText text;
  MessageId title;    // of its part of a report
  ViewAction action;  // that a view takes; a finding may be milder
};

std::span<const DoctorRule> doctor_rules();
const DoctorRule& rule_of(DoctorRuleKind kind);
// Null when there is no rule of that id.
const DoctorRule* find_doctor_rule(std::string_view id);

}  // namespace qanat
