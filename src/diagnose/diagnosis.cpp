#include "diagnose/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "diagnose/hardware_fault.h"
#include "diagnose/ranking.h"
#include "diagnose/rule_parts.h"
#include "diagnose/rules.h"

namespace qanat {
namespace {

constexpr double kOpenLedger = 0.05;  // of the step: above, a verdict would be a guess

// By the part of the step that is lost: waiting for data is what makes a run input-bound, not that
// a finding is about data.
VerdictKind kind_of(const Finding& finding) {
  const auto rule = std::ranges::find(all_rules(), finding.id, &Rule::id);
  if (rule->category == "transfer") {
    return VerdictKind::transfer_bound;
  }
  const bool about_data = rule->category == "data" || rule->category == "storage";
  if (about_data && finding.part == LedgerPart::wait) {
    return VerdictKind::input_bound;
  }
  return finding.id == "CMP001" || finding.id == "CMP006" || finding.id == "DL007"
             ? VerdictKind::compute_bound
             : VerdictKind::host_overhead;
}

enum class Steps { enough, too_few };

void apply_rules(const RunTrace& trace, Steps steps, Diagnosis& diagnosis) {
  const RuleInput input{.trace = trace, .measures = diagnosis.measures};
  for (const Rule& rule : all_rules()) {
    const bool can = steps == Steps::enough || rule.needs == RuleNeeds::nothing;
    RuleOutcome outcome = can ? rule.decide(input) : RuleOutcome{.skipped = "too few steps"};
    const std::string id(rule.id);
    if (outcome.finding) {
      diagnosis.findings.push_back(std::move(*outcome.finding));
    } else if (outcome.passed) {
      diagnosis.passed.push_back({.id = id, .what = std::move(*outcome.passed)});
    } else {
      diagnosis.skipped.push_back({.id = id, .reason = outcome.skipped.value_or("not said")});
    }
  }
  diagnosis.findings = rank_by_cause(std::move(diagnosis.findings), input);
}

void judge(Diagnosis& diagnosis) {
  const RunMeasures& m = diagnosis.measures;
  const double open = std::abs(m.share(m.ledger.residual));
  if (open > kOpenLedger) {
    diagnosis.verdict = VerdictKind::incomplete;
    diagnosis.why = fmt::format("{:.0f} % of the time of a step is unaccounted for", 100 * open);
    return;
  }
  const auto first = std::ranges::find_if(diagnosis.findings, [](const Finding& finding) {
    return finding.severity != FindingSeverity::info;
  });
  if (first == diagnosis.findings.end()) {
    diagnosis.verdict = VerdictKind::balanced;
    diagnosis.why = fmt::format("the device works {:.1f} % of the time; nothing worth changing",
                                100 * m.share(m.ledger.busy()));
    return;
  }
  diagnosis.verdict = kind_of(*first);
  diagnosis.recoverable_share = saved_share(*first);
  diagnosis.why = first->title;
}

}  // namespace

std::string_view to_string(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::balanced:
      return "BALANCED";
    case VerdictKind::input_bound:
      return "INPUT-BOUND";
    case VerdictKind::transfer_bound:
      return "TRANSFER-BOUND";
    case VerdictKind::host_overhead:
      return "HOST-OVERHEAD";
    case VerdictKind::compute_bound:
      return "COMPUTE-BOUND";
    case VerdictKind::incomplete:
      return "INCOMPLETE";
  }
  return "UNKNOWN";
}

bool is_hardware_fault(const Finding& finding) {
  return (finding.id == "HW006" || finding.id == "HW007") &&
         finding.severity == FindingSeverity::crit;
}

Diagnosis diagnose_run(const RunTrace& trace) {
  Diagnosis diagnosis{.measures = measure_run(trace)};
  const std::size_t steady = diagnosis.measures.steady.size();
  if (steady < kFewestSteps) {
    diagnosis.why =
        fmt::format("{} steps after the warm-up; a verdict needs {}", steady, kFewestSteps);
    apply_rules(trace, Steps::too_few, diagnosis);
    return diagnosis;
  }
  apply_rules(trace, Steps::enough, diagnosis);
  judge(diagnosis);
  return diagnosis;
}

}  // namespace qanat
