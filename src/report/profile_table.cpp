#include "report/profile_table.h"

#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

// In milliseconds; times that are short enough get the digits they need.
std::string digits(double seconds) {
  constexpr double kShort = 0.001;
  return fmt::format("{:.{}f}", 1000 * seconds, seconds != 0 && seconds < kShort ? 3 : 1);
}

std::string cell(const std::optional<double>& seconds) {
  return seconds ? digits(*seconds) : "-";
}

// "data:\n  num_workers: 3\n" with `indent` in front of each line.
std::string to_yaml(std::span<const Recommendation> all, const std::string& indent) {
  std::map<std::string, std::vector<std::string>> sections;
  for (const Recommendation& one : all) {
    const std::size_t dot = one.key.find('.');
    sections[one.key.substr(0, dot)].push_back(
        fmt::format("{}: {}", one.key.substr(dot + 1), one.value));
  }
  std::string text;
  for (const auto& [name, lines] : sections) {
    fmt::format_to(std::back_inserter(text), "{}{}:\n", indent, name);
    for (const std::string& line : lines) {
      fmt::format_to(std::back_inserter(text), "{}  {}\n", indent, line);
    }
  }
  return text;
}

}  // namespace

std::string milliseconds(double seconds) {
  return digits(seconds) + " ms";
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string times_head() {
  return fmt::format("  {:<10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}   ms\n",
                     "",
                     "mean",
                     "std",
                     "min",
                     "max",
                     "p50",
                     "p95",
                     "p99");
}

std::string times_row(std::string_view name, const SampleSummary& seconds) {
  return fmt::format("  {:<10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n",
                     name,
                     cell(seconds.mean),
                     cell(seconds.std),
                     cell(seconds.min),
                     cell(seconds.max),
                     cell(seconds.p50),
                     cell(seconds.p95),
                     cell(seconds.p99));
}

std::string missing_percentiles(const SampleSummary& seconds, std::string_view unit) {
  std::vector<std::string> missing;
  if (!seconds.p95) {
    missing.push_back(fmt::format("p95 needs {} {}", values_needed_for(0.95), unit));
  }
  if (!seconds.p99) {
    missing.push_back(fmt::format("p99 needs {}{}{}",
                                  values_needed_for(0.99),
                                  missing.empty() ? " " : "",
                                  missing.empty() ? unit : ""));
  }
  return missing.empty()
             ? ""
             : fmt::format("  {}; there are {}\n", fmt::join(missing, ", "), seconds.count);
}

std::string render_recommended(std::span<const Recommendation> all, std::string_view otherwise) {
  std::string text = "\nRECOMMENDED CONFIGURATION\n";
  const auto out = std::back_inserter(text);
  if (all.empty()) {
    fmt::format_to(out, "  {}\n", otherwise);
    return text;
  }
  for (const Recommendation& one : all) {
    fmt::format_to(out, "  {:<28} {}\n", one.flag, one.why);
  }
  fmt::format_to(out, "  as a file, one change at a time, because gains do not add:\n");
  return text + to_yaml(all, "    ");
}

std::string_view nothing_recommended(const Diagnosis& diagnosis) {
  if (diagnosis.verdict == VerdictKind::incomplete) {
    return "none: there is no verdict";
  }
  if (diagnosis.verdict == VerdictKind::balanced) {
    return "nothing worth changing was found";
  }
  return "none: no setting changes what was found; the findings say what does";
}

}  // namespace qanat
