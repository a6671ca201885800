#include "diagnose/diagnosis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "diagnose/hardware_fault.h"
#include "diagnose/ranking.h"
#include "diagnose/rules.h"
#include "locale/messages.h"

namespace qanat {
namespace {

constexpr double kOpenBreakdown = 0.05;  // of the step: above, a verdict would be a guess

// By the part of the step that is lost: waiting for data is what makes a run input-bound, not that
// a finding is about data.
VerdictKind verdict_of(const Finding& finding) {
  const VerdictKind verdict = find_rule(finding.id)->verdict;
  return verdict == VerdictKind::input_bound && finding.part != LedgerPart::wait
             ? VerdictKind::host_overhead
             : verdict;
}

void judge(Diagnosis& diagnosis) {
  const RunMeasures& m = diagnosis.measures;
  const double open = std::abs(m.share(m.ledger.residual));
  if (open > kOpenBreakdown) {
    diagnosis.verdict = VerdictKind::incomplete;
    diagnosis.why = msg::why_unaccounted{.share = in_percent(open)};
    return;
  }
  const auto first = std::ranges::find_if(diagnosis.findings, [](const Finding& finding) {
    return finding.severity != FindingSeverity::info &&
           verdict_of(finding) != VerdictKind::balanced;
  });
  if (first == diagnosis.findings.end()) {
    diagnosis.verdict = VerdictKind::balanced;
    diagnosis.why = msg::why_balanced{.share = in_percent(m.share(m.ledger.busy()), 1)};
    return;
  }
  diagnosis.verdict = verdict_of(*first);
  diagnosis.recoverable_share = first->gain.share_saved();
  diagnosis.why = first->title;
}

// How an enumerator is called in JSON, and how it is said.
struct NameAndWords {
  std::string_view name;
  MessageId words;
};
constexpr auto kVerdicts = std::to_array<NameAndWords>({
    {"BALANCED", msg::verdict_balanced::id},
    {"INPUT-BOUND", msg::verdict_input_bound::id},
    {"TRANSFER-BOUND", msg::verdict_transfer_bound::id},
    {"HOST-OVERHEAD", msg::verdict_host_overhead::id},
    {"COMPUTE-BOUND", msg::verdict_compute_bound::id},
    {"INCOMPLETE", msg::verdict_incomplete::id},
});

constexpr auto kMethods = std::to_array<NameAndWords>({
    {"none", msg::method_none::id},
    {"ledger", msg::method_breakdown::id},
    {"ledger, per utterance", msg::method_breakdown_per_utterance::id},
    {"replay", msg::method_replay::id},
    {"work model", msg::method_work_model::id},
    {"work model, per utterance", msg::method_work_model_per_utterance::id},
    {"fold test", msg::method_fold_test::id},
    {"trend", msg::method_trend::id},
    {"outliers of the adjusted times", msg::method_outliers::id},
    {"excess over the median", msg::method_excess::id},
    {"throttled time", msg::method_throttled_time::id},
    {"pressure stalls", msg::method_pressure::id},
    {"run-queue delay", msg::method_run_queue::id},
    {"clocks", msg::method_clocks::id},
    {"sides", msg::method_sides::id},
    {"ideal", msg::method_ideal::id},
    {"measured", msg::method_measured::id},
});

}  // namespace

std::string_view to_string(VerdictKind kind) {
  return kVerdicts.at(static_cast<std::size_t>(kind)).name;
}

Message to_message(VerdictKind kind) {
  return {.id = kVerdicts.at(static_cast<std::size_t>(kind)).words};
}

std::string_view to_string(GainMethod method) {
  return kMethods.at(static_cast<std::size_t>(method)).name;
}

Message to_message(GainMethod method) {
  return {.id = kMethods.at(static_cast<std::size_t>(method)).words};
}

bool is_hardware_fault(const Finding& finding) {
  const Rule* const rule = find_rule(finding.id);
  return rule != nullptr && rule->is_hardware_fault && finding.severity == FindingSeverity::crit;
}

void ask_rules(std::span<const Rule> rules, const RuleInput& input, Diagnosis& diagnosis) {
  struct File {
    Diagnosis& to;

    void operator()(Finding finding) const { to.findings.push_back(std::move(finding)); }
    void operator()(PassedCheck check) const { to.passed.push_back(std::move(check)); }
    void operator()(SkippedCheck check) const { to.skipped.push_back(std::move(check)); }
  };
  for (const Rule& rule : rules) {
    if (is_asked(rule, input)) {
      std::visit(File{diagnosis}, ask(rule, input));
    }
  }
}

Diagnosis diagnose_run(const RunTrace& trace) {
  Diagnosis diagnosis{.measures = measure_run(trace)};
  const RuleInput input{.trace = trace, .measures = diagnosis.measures};
  ask_rules(all_rules(), input, diagnosis);
  diagnosis.findings = rank_by_cause(std::move(diagnosis.findings), input);
  const std::size_t steady = diagnosis.measures.steady.size();
  if (steady < kFewestSteps) {
    diagnosis.why = msg::why_too_few_steps{.steps = steady, .needed = kFewestSteps};
  } else {
    judge(diagnosis);
  }
  return diagnosis;
}

}  // namespace qanat
