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
#include "diagnose/gain.h"
#include "diagnose/hardware_fault.h"
#include "diagnose/loop_use.h"
#include "diagnose/rule_parts.h"
#include "diagnose/rules.h"
#include "diagnose/wait_cause.h"
#include "diagnose/what_if.h"
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

// What a finding takes from its part of the step, whether or not the loader lets the run have it.
double claimed(const Finding& finding) {
  return std::max(finding.claim, seconds_saved(finding));
}

// Seconds of a mean step that each part still has to give.
class PartsLeft {
 public:
  explicit PartsLeft(const StepPhases& breakdown) : left_(seconds_by_part(breakdown)) {
    of(BreakdownPart::unknown) = breakdown.total().count();
  }

  double can_give(const Finding& finding) const {
    return std::clamp(claimed(finding), 0.0, std::max(0.0, left_[index(finding.part)]));
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

  PartSeconds left_;
};

double seconds_of(BreakdownPart part, const StepPhases& breakdown) {
  return seconds_by_part(breakdown)[static_cast<std::size_t>(part)];
}

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
  if (is_symptom(cause) || claimed(cause) < kSameTime * claimed(finding)) {
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
      const bool can = claimed(cause) > 0 && explains(cause, finding, wait_rule, input);
      if (can && (best == nullptr || claimed(cause) > claimed(*best))) {
        best = &cause;
      }
    }
    if (best != nullptr && claimed(finding) > 0) {
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
BreakdownPart part_behind(const Finding& finding, const RunMeasures& m) {
  const RuleCategory category = rule_behind(finding).category;
  const bool about_machine = category == RuleCategory::host || category == RuleCategory::storage;
  if (finding.part != BreakdownPart::unknown || !about_machine) {
    return finding.part;
  }
  const BreakdownPart part =
      m.share(m.breakdown.wait) >= kMinReportableGain ? BreakdownPart::wait : BreakdownPart::work;
  // What is more than that part has is spread over all of them.
  return claimed(finding) <= seconds_of(part, m.breakdown) ? part : BreakdownPart::unknown;
}

// The run with what a finding gives of `seconds` that its part still has.
WhatIf change_by(const Finding& finding, double seconds) {
  if (finding.part == BreakdownPart::wait) {
    return finding.change.value_or(WhatIf{.work = 0});
  }
  WhatIf change = finding.change.value_or(WhatIf{});
  change.saved = {};
  change.saved_of(finding.part) = seconds;
  return change;
}

// A step that does less is shorter only as far as its batches come sooner: what a finding takes
// from the device's own time is replayed against the loader.
void replay_against_loader(Finding& finding, const RuleInput& input) {
  const bool is_replayed = finding.change.has_value() || finding.part == BreakdownPart::wait;
  const double now = input.measures.mean_step;
  const bool is_bounded = finding.part != BreakdownPart::unknown && !is_symptom(finding);
  const double most =
      is_bounded ? seconds_of(finding.part, input.measures.breakdown) : claimed(finding);
  finding.claim = is_replayed ? claimed(finding) : std::min(claimed(finding), most);
  if (is_replayed || finding.claim <= 0 || finding.gain.step_now != now) {
    return;
  }
  const auto step_with = [&](double seconds) {
    // The replay is of some of the steps: no more can be saved than is taken away.
    return std::max(predict_step(input, change_by(finding, seconds)).value_or(0), now - seconds);
  };
  const auto saved_at = [now](double speedup) { return speedup > 1 ? now * (1 - 1 / speedup) : 0; };
  const double highest = is_bounded ? most : now;
  const Range claimed_range{.low = std::min(saved_at(finding.gain.ci95.low), finding.claim),
                            .high = std::min(saved_at(finding.gain.ci95.high), highest)};
  finding.gain = make_gain(now,
                           {.seconds = now - step_with(finding.claim),
                            .range = {.low = now - step_with(claimed_range.low),
                                      .high = now - step_with(claimed_range.high)}},
                           finding.gain.method);
  for (Fix& fix : finding.fixes) {
    if (fix.predicted_step) {
      fix.predicted_step = std::min(now, step_with(std::max(0.0, now - *fix.predicted_step)));
    }
  }
  finding.severity = std::min(finding.severity, severity_of(finding.gain));
}

// Findings one behind the other: what is left of the step, and of its parts.
struct AfterFixes {
  PartsLeft left;
  WhatIf change{};
  double step = 0;
};

// What a finding is worth behind the ones before it.
void settle(Finding& finding,
            AfterFixes& after,
            const RuleInput& input,
            const std::vector<Finding>& before) {
  const double alone = claimed(finding);
  if (alone <= 0) {
    return;
  }
  const double still = after.left.can_give(finding);
  const WhatIf change = merged(after.change, change_by(finding, still));
  const double step =
      std::clamp(predict_step(input, change).value_or(after.step - still), 1e-9, after.step);
  if (!before.empty()) {
    finding.marginal_speedup = after.step / step;
  }
  const bool is_left = still >= kExplained * alone;
  after.left.take(finding);
  after.change = change;
  after.step = step;
  if (before.empty() || is_left || !finding.explained_by.empty()) {
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

// The greatest gain first; then what is worth most once the loader keeps up; the more severe where
// gains are equal.
void sort_by_place(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return std::tuple(place_of(finding),
                      -seconds_that_count(finding.gain),
                      -claimed(finding),
                      -static_cast<int>(finding.severity));
  });
}

std::vector<Finding> rank_by_cause(std::vector<Finding> findings, const RuleInput& input) {
  for (Finding& finding : findings) {
    finding.part = part_behind(finding, input.measures);
    replay_against_loader(finding, input);
  }
  explain(findings, input);
  sort_by_place(findings);
  AfterFixes after{.left = PartsLeft(input.measures.breakdown), .step = input.measures.mean_step};
  std::vector<Finding> ranked;
  for (Finding& finding : findings) {
    settle(finding, after, input, ranked);
    if (finding.fixes.empty() && finding.verify.id == msg::verify_rerun::id) {
      finding.verify = {};  // with which change?
    }
    ranked.push_back(std::move(finding));
  }
  sort_by_place(ranked);
  return ranked;
}

constexpr double kMinVerdictShare = 0.05;  // of the step
constexpr double kLongWait = 0.10;       // of the step: not balanced, whatever the reason
constexpr double kOpenBreakdown = 0.05;  // of the step: above, a verdict would be a guess

// By the part of the step that is lost: waiting for data is what makes a run input-bound, not that
// a finding is about data.
VerdictKind verdict_of(const Finding& finding) {
  const VerdictKind verdict = find_rule(finding.id)->verdict;
  return verdict == VerdictKind::input_bound && finding.part != BreakdownPart::wait
             ? VerdictKind::host_overhead
             : verdict;
}

// The first finding that makes a verdict. A few per cent are worth a warning; that a run waits for
// its data, say, is not what it is about.
const Finding* first_cause(const std::vector<Finding>& findings) {
  const auto first = std::ranges::find_if(findings, [](const Finding& finding) {
    const bool is_much = finding.severity == FindingSeverity::crit ||
                         finding.gain.share_saved() >= kMinVerdictShare;
    return finding.severity != FindingSeverity::info && is_much &&
           verdict_of(finding) != VerdictKind::balanced;
  });
  return first != findings.end() ? &*first : nullptr;
}

bool is_warned(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.severity != FindingSeverity::info &&
           verdict_of(finding) != VerdictKind::balanced;
  });
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

// The share of a step that a foreign loop spends where no part owns the time. Its place is known.
double share_between_parts(const RuleInput& input) {
  return share_of_place(input, kAfterUpdate) + share_of_place(input, kBetweenBatches);
}

void judge(Diagnosis& diagnosis, double placed) {
  const RunMeasures& m = diagnosis.measures;
  const double rest = m.share(m.breakdown.residual);
  const double open = std::abs(rest - std::min(placed, std::max(rest, 0.0)));
  if (open > kOpenBreakdown) {
    diagnosis.verdict = VerdictKind::incomplete;
    diagnosis.why = msg::why_unaccounted{.share = in_percent(open)};
    return;
  }
  const Finding* const first = first_cause(diagnosis.findings);
  const bool is_exchange = first != nullptr && std::string_view(first->id) == "RNK002";
  if (first == nullptr || is_exchange) {
    if (const std::optional<Message> why = why_exchange_is_open(m)) {
      diagnosis.verdict = VerdictKind::incomplete;
      diagnosis.why = *why;
      return;
    }
  }
  if (first == nullptr && m.share(m.breakdown.wait) >= kLongWait) {
    diagnosis.verdict = VerdictKind::input_bound;
    diagnosis.why = msg::why_waits{.share = in_percent(m.share(m.breakdown.wait))};
    return;
  }
  if (first == nullptr) {
    diagnosis.verdict = VerdictKind::balanced;
    const Quantity share = in_percent(m.share(m.breakdown.busy()), 1);
    diagnosis.why = is_warned(diagnosis.findings) ? Message(msg::why_little{.share = share})
                                                  : Message(msg::why_balanced{.share = share});
    return;
  }
  diagnosis.verdict = verdict_of(*first);
  diagnosis.recoverable_share = is_sharp(first->gain) ? first->gain.share_saved() : 0;
  diagnosis.why = first->title;
}

}  // namespace

const Finding* cause_of(const Diagnosis& diagnosis) {
  return diagnosis.verdict == VerdictKind::incomplete ? nullptr : first_cause(diagnosis.findings);
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

Diagnosis diagnose_run(const RunSummary& summary) {
  Diagnosis diagnosis{.measures = measure_run(summary)};
  const RuleInput input{.summary = summary, .measures = diagnosis.measures};
  ask_rules(all_rules(), input, diagnosis);
  diagnosis.findings = rank_by_cause(std::move(diagnosis.findings), input);
  const std::size_t steady = diagnosis.measures.steady.size();
  if (steady < kMinSteps) {
    diagnosis.why = msg::why_too_few_steps{.steps = steady, .needed = kMinSteps};
  } else {
    judge(diagnosis, share_between_parts(input));
  }
  return diagnosis;
}

}  // namespace qanat
