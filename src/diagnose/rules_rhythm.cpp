#include "diagnose/rules_rhythm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace qanat {
namespace {

constexpr double kNoticeableChange = 0.05;  // of the step

// The part of the ledger that long steps have more of than the others, and how much more: a stall
// is charged where it shows.
struct Excess {
  LedgerPart part = LedgerPart::unknown;
  double seconds = 0;  // more, in a long step
};

struct PartTimes {
  double wait = 0;
  double transfer = 0;
  double work = 0;
  double saving = 0;
  double retry = 0;
  double count = 0;

  void add(const StepPhases& phases) {
    wait += phases.wait.count();
    transfer += phases.transfer.count();
    work += (phases.busy() - phases.retry).count();
    saving += phases.checkpoint.count();
    retry += phases.retry.count();
    count += 1;
  }
};

template <typename IsLong>
Excess find_excess(const RunMeasures& m, IsLong&& is_long) {
  PartTimes longer;
  PartTimes others;
  for (std::size_t i = 0; i < m.steady.size(); ++i) {
    (is_long(i) ? longer : others).add(m.steady[i].phases);
  }
  if (longer.count == 0 || others.count == 0) {
    return {};
  }
  const auto more = [&](double PartTimes::*part) {
    return longer.*part / longer.count - others.*part / others.count;
  };
  const std::array found = {Excess{LedgerPart::wait, more(&PartTimes::wait)},
                            Excess{LedgerPart::transfer, more(&PartTimes::transfer)},
                            Excess{LedgerPart::work, more(&PartTimes::work)},
                            Excess{LedgerPart::saving, more(&PartTimes::saving)},
                            Excess{LedgerPart::retry, more(&PartTimes::retry)}};
  return *std::ranges::max_element(found, {}, &Excess::seconds);
}

Gain gain_of(const RunMeasures& m, double saved, std::string method) {
  const double left = std::max(m.mean_step - saved, 1e-9);
  const double speedup = m.mean_step / left;
  // The excess is as uncertain as the few steps that show it.
  return {.step_now = m.mean_step,
          .step_if_fixed = left,
          .speedup = speedup,
          .ci95 = {.low = 1 + (speedup - 1) * 0.7, .high = 1 + (speedup - 1) * 1.3},
          .method = std::move(method)};
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
  const bool much = 1 - gain.step_if_fixed / gain.step_now >= kSevere;
  return much ? severity_of(gain) : FindingSeverity::info;
}

Finding periodic_finding(const RuleInput& input, const Rhythm& rhythm) {
  const RunMeasures& m = input.measures;
  const std::optional<Cadence> cause = match_cadence(rhythm.period, input.trace.cadences);
  const std::string because =
      cause ? fmt::format(", which is {}", cause->name) : std::string(", cause unknown");
  const Gain gain = gain_of(m, rhythm.seconds_per_step, "fold test");
  Finding finding{.id = "PER001",
                  .title = fmt::format("every {}th step takes {:.0f} ms more{}",
                                       rhythm.period,
                                       1000 * rhythm.excess_seconds,
                                       because),
                  .severity = severity_of(gain),
                  .evidence = {{.metric = "period",
                                .value = static_cast<double>(rhythm.period),
                                .unit = "steps"},
                               {.metric = "excess", .value = rhythm.excess_seconds, .unit = "s"},
                               {.metric = "p_value", .value = m.periodicity.p_value, .unit = "1"}},
                  .gain = gain,
                  .fixes = {},
                  .verify = "run again with the flag, then: qanat report JOURNAL --baseline OLD",
                  .may_be_wrong = "one in a hundred steady runs looks periodic by chance"};
  finding.part =
      find_excess(m, [&rhythm](std::size_t i) { return i % rhythm.period == rhythm.phase; }).part;
  if (cause) {
    const std::size_t rarer = 4 * cause->period;
    finding.fixes.push_back({.key = cause->name,
                             .flag = fmt::format("--set {}={}", cause->name, rarer),
                             .predicted_step = m.mean_step - 0.75 * rhythm.seconds_per_step,
                             .value = std::to_string(rarer)});
  }
  return finding;
}

}  // namespace

RuleOutcome periodic_stall(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const Periodicity& tested = m.periodicity;
  if (tested.longest_tested == 0) {
    return {.skipped = fmt::format("{} steps are too few to test for periods", m.steady.size())};
  }
  if (!tested.rhythm || tested.rhythm->seconds_per_step < kWorthMentioning / 2 * m.mean_step) {
    return {.passed = fmt::format(
                "no period of 2 to {} steps (p = {:.2f})", tested.longest_tested, tested.p_value)};
  }
  return {.finding = periodic_finding(input, *tested.rhythm)};
}

RuleOutcome drift(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.trend.trend != Trend::line || m.trend.change < kNoticeableChange * m.mean_step) {
    return {.passed = "steps do not get slower"};
  }
  const Gain gain = gain_of(m, m.trend.change / 2, "trend");
  return {
      .finding = Finding{
          .id = "PER002",
          .title = fmt::format("steps got {:.0f} ms slower over the run", 1000 * m.trend.change),
          .severity = std::min(severity_of(gain), FindingSeverity::warn),
          .evidence = {{.metric = "change", .value = m.trend.change, .unit = "s"}},
          .gain = gain,
          .fixes = {},
          .verify = "qanat top, or a second run: does it start fast again?",
          .may_be_wrong = "another program came to use the machine, or a processor got hot",
          .part = excess_after(m, m.steady.size() / 2).part}};
}

RuleOutcome level_shift(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.trend.trend != Trend::shift || m.trend.change < kNoticeableChange * m.mean_step) {
    return {.passed = "steps did not get slower at one moment"};
  }
  const double after = static_cast<double>(m.steady.size() - *m.trend.shift_at) /
                       static_cast<double>(m.steady.size());
  const Gain gain = gain_of(m, m.trend.change * after, "trend");
  const std::int64_t step = m.steady[*m.trend.shift_at].step;
  return {.finding = Finding{
              .id = "PER003",
              .title = fmt::format(
                  "from step {} on, steps take {:.0f} ms more", step, 1000 * m.trend.change),
              .severity = std::min(severity_of(gain), FindingSeverity::warn),
              .evidence = {{.metric = "change", .value = m.trend.change, .unit = "s"},
                           {.metric = "step", .value = static_cast<double>(step), .unit = "steps"}},
              .gain = gain,
              .fixes = {},
              .verify = "look into the journal around that step: what else happened?",
              .may_be_wrong = "another program started then",
              .part = excess_after(m, *m.trend.shift_at).part}};
}

RuleOutcome intermittent_stalls(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.spread.label != Steadiness::intermittent || m.periodicity.rhythm) {
    return {.passed = fmt::format("{:.1f} % of the time lies in unusually long steps",
                                  100 * m.spread.excess_share)};
  }
  double excess = 0;
  const double centre = median(m.adjusted);
  for (const std::size_t at : m.spread.outliers) {
    excess += m.adjusted[at] - centre;
  }
  const Gain gain =
      gain_of(m, excess / static_cast<double>(m.adjusted.size()), "outliers of the adjusted times");
  const std::int64_t worst = m.steady[m.spread.outliers.front()].step;
  return {
      .finding = Finding{
          .id = "VAR001",
          .title = fmt::format(
              "{} steps took unusually long, the longest is step {}", m.spread.num_outliers, worst),
          .severity = severity_of_symptom(gain),
          .evidence = {{.metric = "tail_p95_over_p50", .value = m.spread.tail, .unit = "1"},
                       {.metric = "excess_share", .value = m.spread.excess_share, .unit = "1"}},
          .gain = gain,
          .fixes = {},
          .verify = "look at the phases of those steps in the journal: which one was long?",
          .may_be_wrong = "the machine was used by others at these moments",
          .part = excess_of_outliers(m).part}};
}

RuleOutcome jitter(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.spread.label != Steadiness::jitter) {
    return {.passed =
                fmt::format("steps of equal work vary by {:.1f} %", 100 * m.spread.robust_cv)};
  }
  const Gain gain = gain_of(m, m.mean_step * m.spread.excess_share, "excess over the median");
  return {
      .finding = Finding{
          .id = "VAR002",
          .title = fmt::format("steps of equal work vary by {:.0f} %", 100 * m.spread.robust_cv),
          .severity = std::min(severity_of(gain), FindingSeverity::warn),
          .evidence = {{.metric = "robust_cv", .value = m.spread.robust_cv, .unit = "1"}},
          .gain = gain,
          .fixes = {},
          .verify = "the same run with nothing else on the machine: does it get steadier?",
          .may_be_wrong = "the machine is shared, or its processors change their speed",
          .part = excess_of_long_steps(m).part}};
}

}  // namespace qanat
