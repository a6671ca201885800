// Rules about time: stalls that repeat, steps that get slower, steps that vary.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "diagnose/gain.h"
#include "diagnose/rule_parts.h"
#include "locale/messages/findings_variation.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

constexpr double kNoticeableChange = 0.05;  // of the step
constexpr std::size_t kMinCut = 10;         // steps: fewer are a warm-up, whatever they look like
constexpr double kOffLine = 0.2;            // of what a line rises along the steps that are cut off

// The part of the breakdown that long steps have more of than the others, and how much more: a
// stall is charged where it shows.
struct Excess {
  BreakdownPart part = BreakdownPart::unknown;
  double seconds = 0;  // more, in a long step
};

struct PartSums {
  PartSeconds seconds{};
  double count = 0;

  void add(const StepPhases& phases) {
    const PartSeconds parts = seconds_by_part(phases);
    std::ranges::transform(seconds, parts, seconds.begin(), std::plus{});
    count += 1;
  }
};

template <typename IsLong>
Excess find_excess(const RunMeasures& m, IsLong&& is_long) {
  PartSums longer;
  PartSums others;
  for (std::size_t i = 0; i < m.steady.size(); ++i) {
    (is_long(i) ? longer : others).add(m.steady[i].phases);
  }
  if (longer.count == 0 || others.count == 0) {
    return {};
  }
  Excess most;
  for (std::size_t part = 0; part < kNumBreakdownParts; ++part) {
    const double more = longer.seconds[part] / longer.count - others.seconds[part] / others.count;
    if (more > most.seconds) {
      most = {.part = static_cast<BreakdownPart>(part), .seconds = more};
    }
  }
  return most;
}

// The excess is as uncertain as the few steps that show it.
Gain gain_of(const RunMeasures& m, double saved, GainMethod method) {
  return make_gain(m.mean_step, saving_within(saved, 0.7, 1.3), method);
}

Excess excess_of_outliers(const RunMeasures& m) {
  return find_excess(m, [&m](std::size_t i) {
    return std::ranges::find(m.spread.outliers, i) != m.spread.outliers.end();
  });
}

Excess excess_of_long_steps(const RunMeasures& m) {
  return find_excess(
      m, [&m, centre = median(m.adjusted)](std::size_t i) { return m.adjusted[i] > centre; });
}

Excess excess_after(const RunMeasures& m, std::size_t first) {
  return find_excess(m, [first](std::size_t i) { return i >= first; });
}

// Long steps without a cause are worth a warning only where they cost much: a machine that others
// use, too, always has some.
FindingSeverity severity_of_symptom(const Gain& gain) {
  const bool much = gain.share_saved() >= kSevere;
  return much ? severity_of(gain) : FindingSeverity::info;
}

Message periodic_title(const PeriodicPattern& pattern, const std::optional<Cadence>& cause) {
  const Quantity excess = in_seconds(pattern.excess_seconds);
  if (cause) {
    return msg::per001_title{.period = pattern.period, .excess = excess, .cause = cause->name};
  }
  return msg::per001_unknown_title{.period = pattern.period, .excess = excess};
}

Finding periodic_finding(const RuleInput& input, const PeriodicPattern& pattern) {
  const RunMeasures& m = input.measures;
  const std::optional<Cadence> cause = match_cadence(pattern.period, input.summary.cadences);
  const Gain gain = gain_of(m, pattern.seconds_per_step, GainMethod::fold_test);
  Finding finding{.title = periodic_title(pattern, cause),
                  .severity = severity_of(gain),
                  .evidence = {{metric::period, static_cast<double>(pattern.period)},
                               {metric::excess, pattern.excess_seconds},
                               {metric::p_value, m.periodicity.p_value}},
                  .gain = gain,
                  .verify = msg::verify_rerun{},
                  .may_be_wrong = msg::per001_wrong_if{}};
  finding.part = find_excess(m, [&pattern](std::size_t i) {
                   return i % pattern.period == pattern.phase;
                 }).part;
  if (cause && cause->name.find('.') != std::string::npos) {  // a key, not the length of an epoch
    finding.fixes = {set_key(cause->name,
                             static_cast<int>(4 * cause->period),
                             m.mean_step - 0.75 * pattern.seconds_per_step)};
  }
  return finding;
}

RuleOutcome periodic_stall(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const Periodicity& tested = m.periodicity;
  if (tested.longest_tested == 0) {
    return skipped(msg::per001_too_few{.steps = m.steady.size()}, Missing::steps);
  }
  if (!tested.pattern || tested.pattern->seconds_per_step < kMinReportableGain / 2 * m.mean_step) {
    return passed(msg::per001_ok{.longest = tested.longest_tested, .p = plain(tested.p_value, 2)});
  }
  return periodic_finding(input, *tested.pattern);
}

// How much the line of the steady steps rose before them. What gets slower from the first step on
// is taken for a warm-up in its first part; where that lies on the line, it is not.
double rise_before(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const std::size_t cut = m.warm_up.steps;
  if (cut < kMinCut || cut > input.summary.steps.size() || m.steady.size() < 2) {
    return 0;
  }
  const double rise = m.trend.change / static_cast<double>(m.steady.size() - 1);
  const double risen = rise * static_cast<double>(cut);
  const double typical = mean(m.padded);
  std::vector<double> adjusted;
  for (std::size_t i = 0; i < cut; ++i) {
    const StepRecord& step = input.summary.steps[i];
    const double more = static_cast<double>(step.all_padded()) - typical;
    adjusted.push_back(step.phases.total().count() - m.work.per_frame * more);
  }
  const double on_line = median(m.adjusted) - m.trend.change / 2 - risen / 2;
  return std::abs(median(adjusted) - on_line) <= kOffLine * risen ? risen : 0;
}

RuleOutcome drift(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.trend.trend != Trend::line || m.trend.change < kNoticeableChange * m.mean_step) {
    return passed(msg::per002_ok{});
  }
  const double before = rise_before(input);
  const double change = before + m.trend.change;
  const Gain gain = gain_of(m, before + m.trend.change / 2, GainMethod::trend);
  return Finding{.title = msg::per002_title{.change = in_seconds(change)},
                 .severity = std::min(severity_of(gain), FindingSeverity::warn),
                 .evidence = {{metric::change, change}},
                 .gain = gain,
                 .verify = msg::per002_verify{},
                 .may_be_wrong = msg::per002_wrong_if{},
                 .part = excess_after(m, m.steady.size() / 2).part};
}

RuleOutcome level_shift(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.trend.trend != Trend::shift || m.trend.change < kNoticeableChange * m.mean_step) {
    return passed(msg::per003_ok{});
  }
  const double after = static_cast<double>(m.steady.size() - *m.trend.shift_at) /
                       static_cast<double>(m.steady.size());
  const Gain gain = gain_of(m, m.trend.change * after, GainMethod::trend);
  const std::int64_t step = m.steady[*m.trend.shift_at].step;
  return Finding{
      .title = msg::per003_title{.step = step, .change = in_seconds(m.trend.change)},
      .severity = std::min(severity_of(gain), FindingSeverity::warn),
      .evidence = {{metric::change, m.trend.change}, {metric::step, static_cast<double>(step)}},
      .gain = gain,
      .verify = msg::per003_verify{},
      .may_be_wrong = msg::per003_wrong_if{},
      .part = excess_after(m, *m.trend.shift_at).part};
}

RuleOutcome intermittent_stalls(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.spread.label != Steadiness::intermittent || m.periodicity.pattern) {
    return passed(msg::var001_ok{.share = in_percent(m.spread.excess_share, 1)});
  }
  double excess = 0;
  const double centre = median(m.adjusted);
  for (const std::size_t at : m.spread.outliers) {
    excess += m.adjusted[at] - centre;
  }
  const Gain gain =
      gain_of(m, excess / static_cast<double>(m.adjusted.size()), GainMethod::outliers);
  const std::int64_t worst = m.steady[m.spread.outliers.front()].step;
  return Finding{.title = msg::var001_title{.steps = m.spread.num_outliers, .worst = worst},
                 .severity = severity_of_symptom(gain),
                 .evidence = {{metric::tail_p95_over_p50, m.spread.tail},
                              {metric::excess_share, m.spread.excess_share}},
                 .gain = gain,
                 .verify = msg::var001_verify{},
                 .may_be_wrong = msg::var001_wrong_if{},
                 .part = excess_of_outliers(m).part};
}

RuleOutcome jitter(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.spread.label != Steadiness::jitter) {
    return passed(msg::var002_title{.share = in_percent(m.spread.robust_cv, 1)});
  }
  const Gain gain = gain_of(m, m.mean_step * m.spread.excess_share, GainMethod::excess);
  return Finding{.title = msg::var002_title{.share = in_percent(m.spread.robust_cv)},
                 .severity = std::min(severity_of(gain), FindingSeverity::warn),
                 .evidence = {{metric::robust_cv, m.spread.robust_cv}},
                 .gain = gain,
                 .verify = msg::var002_verify{},
                 .may_be_wrong = msg::var002_wrong_if{},
                 .part = excess_of_long_steps(m).part};
}

constexpr Rule period_rule(std::string_view id,
                           RuleText text,
                           RuleOutcome (*judge)(const RuleInput&)) {
  return {.id = id,
          .category = RuleCategory::period,
          .text = text,
          .judge = judge,
          .needs = Need::steps | Need::one_run,
          .role = RuleRole::symptom};
}

}  // namespace

std::span<const Rule> period_rules() {
  static constexpr std::array kRules = {
      // With a name for it, a period says more than what it hits.
      Rule{.id = "PER001",
           .category = RuleCategory::period,
           .text = text_of<msg::per001_looks_for, msg::per001_means, msg::per001_remedy>(),
           .judge = periodic_stall,
           .needs = Need::steps | Need::one_run,
           .role = RuleRole::symptom_without_fix,
           .specificity = {.of_others = 3}},
      period_rule(
          "PER002", text_of<msg::per002_looks_for, msg::per002_means, msg::per002_remedy>(), drift),
      period_rule("PER003",
                  text_of<msg::per003_looks_for, msg::per003_means, msg::per003_remedy>(),
                  level_shift),
      period_rule("VAR001",
                  text_of<msg::var001_looks_for, msg::var001_means, msg::var001_remedy>(),
                  intermittent_stalls),
      period_rule("VAR002",
                  text_of<msg::var002_looks_for, msg::var002_means, msg::var002_remedy>(),
                  jitter),
  };
  return kRules;
}

}  // namespace qanat
