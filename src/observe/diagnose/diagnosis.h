// What slows a run down, in order of what can be gained: all rules applied to one trace.
#pragma once

#include <span>
#include <vector>

#include "diagnose/finding.h"
#include "diagnose/rules.h"
#include "diagnose/run_measures.h"
#include "diagnose/run_summary.h"

namespace qanat {

struct Diagnosis {
  VerdictKind verdict = VerdictKind::incomplete;
  Message why{};                 // in one sentence
  double recoverable_share = 0;  // of the step, by the first finding
  RunMeasures measures{};
  std::vector<Finding> findings{};  // the greatest gain first
  std::vector<PassedCheck> passed{};
  std::vector<SkippedCheck> skipped{};
};

Diagnosis diagnose_run(const RunSummary& summary);

// The finding behind the verdict; null where there is none: a run that is balanced, or of which too
// little is known.
const Finding* cause_of(const Diagnosis& diagnosis);

// Asks rules, and files what they say. Findings come last, in no order.
void ask_rules(std::span<const Rule> rules, const RuleInput& input, Diagnosis& diagnosis);

}  // namespace qanat
