// The rules of diagnosis, as data: what each looks for, and the function that decides.
//
// A rule says one of three things: a finding with its gain, that all is well, or why it cannot
// tell. Rules look at measures, not at thresholds alone: a finding must be worth something.
#pragma once

#include <span>
#include <string_view>

#include "diagnose/finding.h"
#include "diagnose/run_measures.h"
#include "diagnose/run_trace.h"

namespace qanat {

struct RuleInput {
  const RunTrace& trace;
  const RunMeasures& measures;
};

// What a rule cannot do without. One that needs nothing also decides about a machine on which
// nothing was trained: its measures are then those of no step at all.
enum class RuleNeeds { steps, nothing };

struct Rule {
  std::string_view id;
  std::string_view category;  // data, compute, rhythm, transfer, host, storage, hardware
  std::string_view looks_for;
  RuleOutcome (*decide)(const RuleInput& input);
  RuleNeeds needs = RuleNeeds::steps;
};

// In the order of the catalogue; docs are generated from it.
std::span<const Rule> all_rules();

// What is worth mentioning: a share of the step that could be won.
inline constexpr double kWorthMentioning = 0.02;
inline constexpr double kSevere = 0.10;

FindingSeverity severity_of(const Gain& gain);

}  // namespace qanat
