#include "report/run_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

std::string ms(const Words& w, double seconds) {
  return w.milliseconds(Seconds(seconds));
}

std::string interval_ms(const Words& w, const Range& range) {
  return fmt::format(
      "[{}{}{}]", w.number(1000 * range.low, 1), w.comma(), w.number(1000 * range.high, 1));
}

FactLine quantile_fact(const RunMeasures& m, double share, const char* name, const Words& w) {
  const auto interval = quantile_interval(m.seconds, share);
  return {w.verbatim(name),
          interval
              ? ms(w, quantile(m.seconds, share)) + ' ' + interval_ms(w, *interval)
              : w.say(fmt::format(
                    "needs {} steps, there are {}", values_needed_for(share), m.seconds.size()))};
}

}  // namespace

std::vector<FactLine> timing_facts(const RunMeasures& m, const Words& w) {
  if (m.seconds.empty()) {
    return {};
  }
  const double deviation = standard_deviation(m.seconds);
  std::vector<FactLine> facts = {
      {w.say("mean"),
       fmt::format("{} {}{}{}",
                   ms(w, m.mean_step),
                   interval_ms(w, m.mean_interval),
                   w.comma(),
                   w.say(fmt::format("{:.0f} independent steps' worth", m.effective_steps)))},
      {w.say("std"), ms(w, deviation)},
      {w.say("range"),
       fmt::format("{} {} {}",
                   ms(w, std::ranges::min(m.seconds)),
                   w.say("to"),
                   ms(w, std::ranges::max(m.seconds)))},
      quantile_fact(m, 0.5, "p50", w),
      quantile_fact(m, 0.95, "p95", w),
      quantile_fact(m, 0.99, "p99", w),
      {w.say("variation"),
       w.say(fmt::format("{:.1f} % of equal work ({:.1f} % as it is): {}",
                         100 * m.spread.robust_cv,
                         100 * deviation / m.mean_step,
                         to_string(m.spread.label)))},
      {w.say("throughput"),
       w.say(fmt::format(
           "{:.0f} frames/s, {:.1f} % padding", m.frames_per_second, 100 * m.padding_share))}};
  if (m.journal_share) {
    facts.push_back(
        {w.say("journal"), w.say(fmt::format("{:.2f} % of the time", 100 * *m.journal_share))});
  }
  return facts;
}

std::string speedup_words(const Gain& gain, const Words& w) {
  return w.say(
      fmt::format("{:.2f}x [{:.2f}, {:.2f}]", gain.speedup, gain.ci95.low, gain.ci95.high));
}

std::string gain_words(const Gain& gain, const Words& w) {
  return w.say(fmt::format("{:.1f} ms -> {:.1f} ms per step ({})",
                           1000 * gain.step_now,
                           1000 * gain.step_if_fixed,
                           gain.method));
}

std::string evidence_value(const Evidence& evidence, const Words& w) {
  const std::string_view metric = evidence.metric;
  const bool is_share =
      evidence.unit == "1" && (metric.ends_with("_share") || metric.starts_with("busy_"));
  if (is_share && evidence.value <= 1) {
    return w.percent(evidence.value);
  }
  if (evidence.unit == "B") {
    return w.bytes(evidence.value);
  }
  if (evidence.unit == "B/s") {
    return w.bytes(evidence.value) + w.say("/s");
  }
  if (evidence.unit == "s") {
    return w.duration(Seconds(evidence.value));
  }
  const std::string number = w.digits(fmt::format("{:.4g}", evidence.value));
  const bool is_named = evidence.unit == "1" || metric.ends_with(evidence.unit);
  return is_named ? number : number + ' ' + w.say(evidence.unit);
}

std::string evidence_words(const Evidence& evidence, const Words& w) {
  return w.verbatim(evidence.metric) + ' ' + evidence_value(evidence, w);
}

std::string recoverable_words(const Diagnosis& diagnosis, const Words& w) {
  return diagnosis.recoverable_share > 0
             ? w.say(fmt::format("{:.0f} % of the step time is recoverable",
                                 100 * diagnosis.recoverable_share))
             : std::string();
}

std::string comparison_words(const RunComparison& comparison, const Words& w) {
  const char* const word = comparison.change == Change::slower   ? "SLOWER"
                           : comparison.change == Change::faster ? "FASTER"
                                                                 : "NO CHANGE";
  return w.say(word) + "   " +
         w.say(fmt::format("{:.3f}x its frames per second [{:.3f}, {:.3f}]",
                           comparison.ratio,
                           comparison.ci95.low,
                           comparison.ci95.high));
}

std::vector<SkippedChecks> skipped_by_reason(const Diagnosis& diagnosis) {
  std::vector<SkippedChecks> groups;
  for (const SkippedCheck& check : diagnosis.skipped) {
    auto group = std::ranges::find(groups, check.reason, &SkippedChecks::reason);
    if (group == groups.end()) {
      group = groups.insert(group, {.ids = {}, .reason = check.reason});
    }
    group->ids.push_back(check.id);
  }
  return groups;
}

}  // namespace qanat
