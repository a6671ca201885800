#include "dataset/dataset_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr std::size_t kMaxBins = 20;

double bin_width(double longest) {
  constexpr std::array<double, 9> kWidths = {0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60};
  for (const double width : kWidths) {
    if (longest < width * kMaxBins) {
      return width;
    }
  }
  return 60 * std::ceil((longest + 1) / (60 * kMaxBins));
}

}  // namespace

std::vector<HistogramBin> length_histogram(std::span<const double> seconds) {
  if (seconds.empty()) {
    return {};
  }
  const double longest = std::ranges::max(seconds);
  const double width = bin_width(longest);
  std::vector<HistogramBin> bins(static_cast<std::size_t>(longest / width) + 1);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i].from = Seconds{width * static_cast<double>(i)};
    bins[i].to = Seconds{width * static_cast<double>(i + 1)};
  }
  for (const double length : seconds) {
    ++bins[static_cast<std::size_t>(length / width)].count;
  }
  return bins;
}

std::optional<LengthSummary> summarise_lengths(std::vector<double> seconds) {
  if (seconds.empty()) {
    return std::nullopt;
  }
  std::ranges::sort(seconds);
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return LengthSummary{.shortest = Seconds{seconds.front()},
                       .median = Seconds{quantile_of_sorted(seconds, 0.5)},
                       .mean = Seconds{sum / static_cast<double>(seconds.size())},
                       .p95 = Seconds{quantile_of_sorted(seconds, 0.95)},
                       .longest = Seconds{seconds.back()}};
}

std::int64_t count_of(const DatasetReport& report, Severity severity) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < report.counts.size(); ++i) {
    count += severity_of(static_cast<ProblemKind>(i)) == severity ? report.counts[i] : 0;
  }
  return count;
}

std::span<const DatasetProblem> problems_of(const DatasetReport& report, ProblemKind kind) {
  const auto begin = std::ranges::lower_bound(report.problems, kind, {}, &DatasetProblem::kind);
  const auto end = std::ranges::upper_bound(report.problems, kind, {}, &DatasetProblem::kind);
  return {begin, end};
}

}  // namespace qanat
