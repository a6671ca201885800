#include "report/run_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "diagnose/gain.h"
#include "locale/messages/findings_hardware.h"
#include "locale/messages/run_report.h"
#include "locale/messages/units.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

// "12.3": the number that stands beside others of one unit.
Quantity bare_ms(double seconds) {
  return plain(1000 * seconds, 1);
}

constexpr std::size_t kMinStepsWithTail = 100;

// What the slowest one of a hundred steps takes of the time of all: 1 % where all are alike.
double tail_share(std::vector<double> seconds) {
  const auto slowest = static_cast<std::ptrdiff_t>(seconds.size() / kMinStepsWithTail);
  std::ranges::nth_element(seconds, seconds.begin() + slowest, std::greater<>());
  return std::accumulate(seconds.begin(), seconds.begin() + slowest, 0.0) /
         std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

Fact quantile_fact(const RunMeasures& m, double share, const char* name) {
  const auto interval = quantile_interval(m.seconds, share);
  if (!interval) {
    return {.name = name,
            .value = msg::fact_quantile_needs{.needed = values_needed_for(share),
                                              .steps = m.seconds.size()}};
  }
  return {.name = name,
          .value = msg::fact_quantile_value{.value = in_seconds(quantile(m.seconds, share), 1),
                                            .low = bare_ms(interval->low),
                                            .high = bare_ms(interval->high)}};
}

}  // namespace

std::vector<Fact> timing_facts(const RunMeasures& m) {
  if (m.seconds.empty()) {
    return {};
  }
  const double deviation = standard_deviation(m.seconds);
  std::vector<Fact> facts = {
      {.name = msg::fact_mean{},
       .value = msg::fact_mean_value{.mean = in_seconds(m.mean_step, 1),
                                     .low = bare_ms(m.mean_interval.low),
                                     .high = bare_ms(m.mean_interval.high),
                                     .effective = plain(m.effective_steps, 0)}},
      {.name = msg::fact_std{}, .value = in_seconds(deviation, 1)},
      {.name = msg::fact_range{},
       .value = msg::fact_range_value{.low = in_seconds(std::ranges::min(m.seconds), 1),
                                      .high = in_seconds(std::ranges::max(m.seconds), 1)}},
      quantile_fact(m, 0.5, "p50"),
      quantile_fact(m, 0.95, "p95"),
      quantile_fact(m, 0.99, "p99"),
      {.name = msg::fact_variation{},
       .value = msg::fact_variation_value{.normalised = in_percent(m.spread.robust_cv, 1),
                                          .raw = in_percent(deviation / m.mean_step, 1),
                                          .label = to_message(m.spread.label)}}};
  if (m.frames_per_second > 0) {  // other trainers need not say how long their batches are
    facts.push_back(
        {.name = msg::fact_throughput{},
         .value = msg::fact_throughput_value{.frames = plain(m.frames_per_second, 0),
                                             .padding = in_percent(m.padding_share, 1)}});
  }
  if (m.seconds.size() >= kMinStepsWithTail) {
    facts.push_back({.key = "slowest_percent_share",
                     .name = msg::fact_tail{},
                     .value = in_percent(tail_share(m.seconds), 1)});
  }
  if (m.journal_share) {
    facts.push_back({.name = msg::fact_journal{},
                     .value = msg::fact_journal_value{.share = in_percent(*m.journal_share, 2)}});
  }
  return facts;
}

std::optional<Section> ranks_section(const RunMeasures& measures) {
  if (!measures.ranks || !measures.ranks->is_complete() || measures.ranks->steps == 0) {
    return std::nullopt;
  }
  Table table{.key = "ranks",
              .columns = {{.key = "rank", .name = msg::ranks_rank{}},
                          {.key = "host", .name = msg::ranks_host{}, .kind = CellKind::code},
                          {.key = "data_s", .name = msg::ranks_data{}},
                          {.key = "compute_s", .name = msg::ranks_compute{}},
                          {.key = "exchange_s", .name = msg::ranks_exchange{}},
                          {.key = "other_s", .name = msg::ranks_other{}},
                          {.key = "frames", .name = msg::ranks_frames{}}}};
  for (const RankMeasures& rank : measures.ranks->ranks) {
    const double exchange = rank.breakdown.exchange.count();
    const double other = (rank.breakdown.checkpoint + rank.breakdown.residual).count();
    table.rows.push_back({.cells = {rank.rank,
                                    rank.host.empty() ? Value() : Value(rank.host),
                                    in_seconds(rank.data(), 1),
                                    in_seconds(rank.compute(), 1),
                                    in_seconds(exchange, 1),
                                    in_seconds(other, 1),
                                    std::llround(rank.padded)}});
  }
  return Section{.title = msg::heading_ranks{},
                 .lead = msg::ranks_steps{.steps = measures.ranks->steps},
                 .tables = {std::move(table)}};
}

// If the gain is hardly known, says what is certain about it.
Message speedup_message(const Gain& gain) {
  constexpr double kCertain = 1.005;  // less is 1.00 as it is printed
  if (!is_sharp(gain)) {
    return gain.ci95.low >= kCertain
               ? Message(msg::report_gain_at_least{.gain = times(gain.ci95.low)})
               : msg::report_gain_open{};
  }
  return msg::unit_range{.value = times(gain.speedup),
                         .low = plain(gain.ci95.low, 2),
                         .high = plain(gain.ci95.high, 2)};
}

Message gain_message(const Gain& gain) {
  if (!is_sharp(gain)) {
    return msg::report_gain_at_most{.now = in_seconds(gain.step_now, 1),
                                    .after = in_seconds(gain.step_now / gain.ci95.low, 1),
                                    .method = to_message(gain.method)};
  }
  return msg::report_gain{.now = in_seconds(gain.step_now, 1),
                          .after = in_seconds(gain.step_if_fixed, 1),
                          .method = to_message(gain.method)};
}

Message predicted_message(double step) {
  return msg::report_predicted{.step = in_seconds(step, 1)};
}

std::string evidence_value(const Evidence& evidence, const Translator& w) {
  return w.quantity({.value = evidence.value, .unit = evidence.metric.unit});
}

Message recoverable_message(const Diagnosis& diagnosis) {
  if (diagnosis.recoverable_share <= 0) {
    return {};
  }
  return msg::report_recoverable{.share = in_percent(diagnosis.recoverable_share)};
}

Message counts_message(const Diagnosis& diagnosis) {
  return msg::report_found{.found = diagnosis.findings.size(),
                           .passed = diagnosis.passed.size(),
                           .skipped = diagnosis.skipped.size()};
}

std::string checks_words(const Diagnosis& diagnosis, const Translator& w) {
  std::vector<std::pair<Missing, int>> groups;
  for (const SkippedCheck& check : diagnosis.skipped) {
    auto group = std::ranges::find(groups, check.missing, &std::pair<Missing, int>::first);
    if (group == groups.end()) {
      group = groups.insert(group, {check.missing, 0});
    }
    ++group->second;
  }
  std::ranges::stable_sort(groups, std::greater{}, &std::pair<Missing, int>::second);
  MessageArg::List reasons;
  for (const auto& [missing, count] : groups) {
    reasons.emplace_back(msg::checks_skipped_for{.reason = to_message(missing), .count = count});
  }
  const std::string passed = w.tr(msg::checks_passed{.count = diagnosis.passed.size()});
  const Message skipped =
      reasons.empty() ? Message(msg::checks_none_skipped{})
                      : msg::checks_skipped{.count = diagnosis.skipped.size(), .reasons = reasons};
  return passed + std::string(w.comma()) + w.tr(skipped);
}

bool broke_off(const RunMeasures& measures) {
  constexpr std::array kEndings{"stopped", "failed", "silent"};
  return measures.ending && std::ranges::find(kEndings, *measures.ending) != kEndings.end();
}

Message comparison_message(const RunComparison& comparison) {
  return msg::change_ratio{.change = to_message(comparison.change),
                           .ratio = times(comparison.ratio, 3),
                           .low = plain(comparison.ci95.low, 3),
                           .high = plain(comparison.ci95.high, 3)};
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
