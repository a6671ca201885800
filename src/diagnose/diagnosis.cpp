#include "diagnose/diagnosis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "diagnose/core_use.h"
#include "diagnose/hardware_fault.h"
#include "diagnose/rules.h"
#include "diagnose/wait_cause.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

// Which finding comes first, and what the others are still worth then: gains overlap.
//
// Findings claim parts of the step. One whose time another names more exactly is explained by that
// one: a symptom by its cause, variation by the machine. The others come in the order of what they
// are worth, those that warn first. What is left of a claim is its marginal gain; a finding that is
// left with little is explained by the one before it.
constexpr double kSameTime = 0.4;   // of a claim that a more specific finding has to cover
constexpr double kExplained = 0.4;  // of a claim: what is left is less

const Rule& rule_behind(const Finding& finding) {
  const Rule* const rule = find_rule(finding.id);
  QANAT_CHECK(rule != nullptr) << finding.id;
  return *rule;
}

double seconds_saved(const Finding& finding) {
  return finding.gain.seconds_saved();
}

// Seconds of a mean step that each part still has to give.
class PartsLeft {
 public:
  explicit PartsLeft(const StepPhases& breakdown) {
    of(BreakdownPart::wait) = breakdown.wait.count();
    of(BreakdownPart::transfer) = breakdown.transfer.count();
    of(BreakdownPart::launch) = breakdown.launch.count();
    of(BreakdownPart::work) = breakdown.busy().count();
    of(BreakdownPart::exchange) = breakdown.exchange.count();
    of(BreakdownPart::saving) = breakdown.checkpoint.count();
    of(BreakdownPart::retry) = breakdown.retry.count();
    of(BreakdownPart::unknown) = breakdown.total().count();
  }

  double can_give(const Finding& finding) const {
    return std::clamp(seconds_saved(finding), 0.0, std::max(0.0, left_[index(finding.part)]));
  }
  void take(const Finding& finding) {
    const double taken = can_give(finding);
    of(finding.part) -= taken;
    if (finding.part != BreakdownPart::unknown) {
      of(BreakdownPart::unknown) -= taken;
    }
  }

 private:
  static std::size_t index(BreakdownPart part) { return static_cast<std::size_t>(part); }
  double& of(BreakdownPart part) { return left_[index(part)]; }

  std::array<double, static_cast<std::size_t>(BreakdownPart::retry) + 1> left_{};
};

bool is_symptom(const Finding& finding) {
  const RuleRole role = rule_behind(finding).role;
  return role == RuleRole::symptom ||
         (role == RuleRole::symptom_without_fix && finding.fixes.empty());
}

// How exactly a finding says what is wrong: a cause, the cause that was singled out.
int specificity(const Finding& finding, std::string_view wait_rule) {
  constexpr int kSingledOut = 3;
  const Rule& rule = rule_behind(finding);
  if (finding.part == BreakdownPart::wait) {
    return finding.id == wait_rule ? kSingledOut : rule.specificity.of_waiting;
  }
  return rule.specificity.of_others;
}

// Whether threads waited longer for a core from about the moment on from which steps take longer.
// Where nothing is known of the time in between, they may have.
bool grew_with_steps(BreakdownPart part, const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (!input.summary.host || m.trend.trend == Trend::none) {
    return true;
  }
  const bool is_shift = m.trend.trend == Trend::shift;
  // The halves of a line differ by half of what its ends do.
  const double longer = is_shift ? m.trend.change : m.trend.change / 2;
  const std::size_t moment = is_shift ? *m.trend.shift_at : m.steady.size() / 2;
  const std::int64_t begin =
      input.summary.steps_before + static_cast<std::int64_t>(m.warm_up.steps);
  const std::optional<double> grown =
      growth_of_delay(*input.summary.host,
                      part == BreakdownPart::wait ? ThreadRole::loader : ThreadRole::trainer,
                      {.begin = begin, .moment = begin + static_cast<std::int64_t>(moment)});
  return !grown || *grown >= kSameTime * longer;
}

// Whether a wait for cores has the course of `finding` in time: other programs do not count the
// steps, and those that were there all the time make none of them longer than before.
bool has_its_course(const Finding& finding, const RuleInput& input) {
  switch (finding.gain.method) {
    case GainMethod::fold_test:
      return false;
    case GainMethod::trend:
      return grew_with_steps(finding.part, input);
    default:
      return true;
  }
}

// Whether `cause` says more specifically where the time of `finding` goes.
bool explains(const Finding& cause,
              const Finding& finding,
              std::string_view wait_rule,
              const RuleInput& input) {
  if (is_symptom(cause) || seconds_saved(cause) < kSameTime * seconds_saved(finding)) {
    return false;
  }
  const bool same_part = cause.part == finding.part;
  if (cause.gain.method == GainMethod::run_queue && !has_its_course(finding, input)) {
    return false;
  }
  if (is_symptom(finding)) {
    // Work that every step has makes none longer than another.
    return rule_behind(cause).makes_steps_vary || (same_part && cause.part != BreakdownPart::work);
  }
  return same_part && specificity(cause, wait_rule) > specificity(finding, wait_rule);
}

void explain(std::vector<Finding>& findings, const RuleInput& input) {
  const std::string_view wait_rule = rule_of(find_wait_cause(input));
  for (Finding& finding : findings) {
    const Finding* best = nullptr;
    for (const Finding& cause : findings) {
      const bool can = seconds_saved(cause) > 0 && explains(cause, finding, wait_rule, input);
      if (can && (best == nullptr || seconds_saved(cause) > seconds_saved(*best))) {
        best = &cause;
      }
    }
    if (best != nullptr && seconds_saved(finding) > 0) {
      finding.explained_by = best->id;
    }
  }
  for (Finding& finding : findings) {
    if (!finding.explained_by.empty()) {
      finding.severity = FindingSeverity::info;
    }
  }
}

// Host and storage slow a run down through its loader, when the device waits for that.
BreakdownPart part_of(const Finding& finding, const RunMeasures& m) {
  const RuleCategory category = rule_behind(finding).category;
  const bool about_machine = category == RuleCategory::host || category == RuleCategory::storage;
  if (finding.part != BreakdownPart::unknown || !about_machine) {
    return finding.part;
  }
  return m.share(m.breakdown.wait) >= kMinReportableGain ? BreakdownPart::wait
                                                         : BreakdownPart::work;
}

// What a finding is worth behind the ones before it.
void settle(Finding& finding,
            const PartsLeft& left,
            double step,
            const std::vector<Finding>& before) {
  const double still = left.can_give(finding);
  const double alone = seconds_saved(finding);
  if (before.empty() || alone <= 0) {
    return;
  }
  finding.marginal_speedup = step > still ? step / (step - still) : 1;
  if (still >= kExplained * alone || !finding.explained_by.empty()) {
    return;
  }
  const auto cause = std::ranges::find_if(before, [&](const Finding& earlier) {
    return earlier.part == finding.part || earlier.part == BreakdownPart::unknown;
  });
  finding.explained_by = cause != before.end() ? cause->id : before.front().id;
  finding.severity = FindingSeverity::info;
}

// What warns comes before what is worth knowing, and that before what is explained already.
int place_of(const Finding& finding) {
  if (!finding.explained_by.empty()) {
    return 2;
  }
  return finding.severity == FindingSeverity::info ? 1 : 0;
}

// The greatest gain first; the more severe where gains are equal.
void sort_by_place(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return std::tuple(
        place_of(finding), -seconds_saved(finding), -static_cast<int>(finding.severity));
  });
}

std::vector<Finding> rank_by_cause(std::vector<Finding> findings, const RuleInput& input) {
  for (Finding& finding : findings) {
    finding.part = part_of(finding, input.measures);
  }
  explain(findings, input);
  sort_by_place(findings);
  PartsLeft left(input.measures.breakdown);
  double step = input.measures.mean_step;
  std::vector<Finding> ranked;
  for (Finding& finding : findings) {
    settle(finding, left, step, ranked);
    step -= left.can_give(finding);
    left.take(finding);
    ranked.push_back(std::move(finding));
  }
  sort_by_place(ranked);
  return ranked;
}

constexpr double kOpenBreakdown = 0.05;  // of the step: above, a verdict would be a guess

// By the part of the step that is lost: waiting for data is what makes a run input-bound, not that
// a finding is about data.
VerdictKind verdict_of(const Finding& finding) {
  const VerdictKind verdict = find_rule(finding.id)->verdict;
  return verdict == VerdictKind::input_bound && finding.part != BreakdownPart::wait
             ? VerdictKind::host_overhead
             : verdict;
}

// Why waiting for gradients makes no verdict: who is to blame cannot be told.
std::optional<Message> why_exchange_is_open(const RunMeasures& m) {
  if (!m.ranks) {
    return std::nullopt;
  }
  const double share = m.ranks->mean_exchange().exposed / m.mean_step;
  if (share < kLargeExposedShare) {
    return std::nullopt;
  }
  if (!m.ranks->is_complete()) {
    return msg::why_ranks_unseen{.share = in_percent(share)};
  }
  const std::optional<OutsideLoad>& outside = m.ranks->outside;
  if (outside && outside->is_busy()) {
    return msg::why_ranks_in_company{
        .share = in_percent(share), .others = in_percent(outside->share), .host = outside->host};
  }
  return std::nullopt;
}

void judge(Diagnosis& diagnosis) {
  const RunMeasures& m = diagnosis.measures;
  const double open = std::abs(m.share(m.breakdown.residual));
  if (open > kOpenBreakdown) {
    diagnosis.verdict = VerdictKind::incomplete;
    diagnosis.why = msg::why_unaccounted{.share = in_percent(open)};
    return;
  }
  const auto first = std::ranges::find_if(diagnosis.findings, [](const Finding& finding) {
    return finding.severity != FindingSeverity::info &&
           verdict_of(finding) != VerdictKind::balanced;
  });
  const bool is_exchange =
      first != diagnosis.findings.end() && std::string_view(first->id) == "RNK002";
  if (first == diagnosis.findings.end() || is_exchange) {
    if (const std::optional<Message> why = why_exchange_is_open(m)) {
      diagnosis.verdict = VerdictKind::incomplete;
      diagnosis.why = *why;
      return;
    }
  }
  if (first == diagnosis.findings.end()) {
    diagnosis.verdict = VerdictKind::balanced;
    diagnosis.why = msg::why_balanced{.share = in_percent(m.share(m.breakdown.busy()), 1)};
    return;
  }
  diagnosis.verdict = verdict_of(*first);
  diagnosis.recoverable_share = first->gain.share_saved();
  diagnosis.why = first->title;
}

}  // namespace

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

Diagnosis diagnose_run(const RunSummary& summary) {
  Diagnosis diagnosis{.measures = measure_run(summary)};
  const RuleInput input{.summary = summary, .measures = diagnosis.measures};
  ask_rules(all_rules(), input, diagnosis);
  diagnosis.findings = rank_by_cause(std::move(diagnosis.findings), input);
  const std::size_t steady = diagnosis.measures.steady.size();
  if (steady < kMinSteps) {
    diagnosis.why = msg::why_too_few_steps{.steps = steady, .needed = kMinSteps};
  } else {
    judge(diagnosis);
  }
  return diagnosis;
}

}  // namespace qanat
