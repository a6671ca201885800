#include "report/profile_parts.h"

#include <sstream>
#include <utility>

#include "locale/messages/profiles.h"
#include "metrics/order_statistics.h"
#include "report/config_changes.h"

namespace qanat {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

// The id of a finding stands for its title, which the report has said above.
Value why_value(const Recommendation& one) {
  if (one.finding.empty()) {
    return one.why;
  }
  return {MessageArg(one.finding), one.finding + ' ' + Translator().tr(one.why)};
}

}  // namespace

Value in_milliseconds(std::optional<double> seconds) {
  constexpr double kShort = 0.001;
  if (!seconds) {
    return {};
  }
  const int decimals = *seconds != 0 && *seconds < kShort ? 3 : 1;
  return {plain(1000 * *seconds, decimals), *seconds};
}

std::vector<Column> times_columns() {
  return {{.key = "n"},
          {.key = "mean", .name = msg::times_mean{}},
          {.key = "std", .name = msg::times_std{}},
          {.key = "min", .name = msg::times_min{}},
          {.key = "max", .name = msg::times_max{}},
          {.key = "p50", .name = msg::times_p50{}},
          {.key = "p95", .name = msg::times_p95{}},
          {.key = "p99", .name = msg::times_p99{}},
          {.key = "cv"}};
}

std::vector<Value> times_cells(const SampleSummary& seconds) {
  return {seconds.count,
          in_milliseconds(seconds.mean),
          in_milliseconds(seconds.std),
          in_milliseconds(seconds.min),
          in_milliseconds(seconds.max),
          in_milliseconds(seconds.p50),
          in_milliseconds(seconds.p95),
          in_milliseconds(seconds.p99),
          figure_of(seconds.variation())};
}

void add_missing_percentiles(const SampleSummary& seconds, std::vector<MessageArg>& remarks) {
  if (!seconds.p95) {
    remarks.push_back(msg::times_missing_both{
        .p95 = values_needed_for(0.95), .p99 = values_needed_for(0.99), .count = seconds.count});
  } else if (!seconds.p99) {
    remarks.push_back(
        msg::times_missing_p99{.needed = values_needed_for(0.99), .count = seconds.count});
  }
}

Value interval_value(const Range& seconds) {
  return {msg::doc_interval{.low = in_seconds(seconds.low), .high = in_seconds(seconds.high)},
          nlohmann::ordered_json::array({seconds.low, seconds.high})};
}

Message ratio_interval(double ratio, const Range& ci95) {
  return msg::doc_ratio_interval{
      .ratio = times(ratio), .low = plain(ci95.low, 2), .high = plain(ci95.high, 2)};
}

Message describe_best_use(BestUse best, const RunComparison& pair, const RunComparison& replicas) {
  switch (best) {
    case BestUse::one_device:
      return msg::dual_best_one{};
    case BestUse::pair:
      return msg::dual_best_pair{.ratio = ratio_interval(pair.ratio, pair.ci95)};
    case BestUse::replicas:
      return msg::dual_best_replicas{.ratio = ratio_interval(replicas.ratio, replicas.ci95)};
    case BestUse::unknown:
      break;
  }
  return msg::dual_best_unknown{};
}

Section recommended_section(std::span<const Recommendation> settings,
                            const Message& otherwise,
                            std::string key) {
  Section section{.title = msg::profile_recommended{}};
  Table table{.key = std::move(key),
              .columns = {{.key = "key"},
                          {.key = "value"},
                          {.key = "flag", .name = msg::recommended_flag{}, .kind = CellKind::text},
                          {.key = "why", .name = msg::recommended_why{}, .kind = CellKind::text}}};
  for (const Recommendation& one : settings) {
    table.rows.push_back(
        {.cells = {one.fix.key, one.fix.value, to_message_arg(one.fix), why_value(one)}});
  }
  section.tables.push_back(std::move(table));
  section.remarks.push_back(settings.empty() ? otherwise : Message(msg::recommended_as_file{}));
  section.code = lines_of(yaml_of(settings));
  return section;
}

Message nothing_recommended(const Diagnosis& diagnosis) {
  if (diagnosis.verdict == VerdictKind::incomplete) {
    return msg::recommended_none_verdict{};
  }
  if (diagnosis.verdict == VerdictKind::balanced) {
    return msg::recommended_none_worth{};
  }
  return msg::recommended_none_setting{};
}

}  // namespace qanat
