// Quantiles and spread of a sample that a few outliers cannot move. Pure functions; none of them
// keeps or changes what it is given. Empty samples are the caller's mistake.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace qanat {

struct Range {
  double low = 0;
  double high = 0;

  bool operator==(const Range&) const = default;
};

std::vector<double> sorted(std::span<const double> values);

// Linear between order statistics. `share` in [0, 1].
double quantile_of_sorted(std::span<const double> ascending, double share);
double quantile(std::span<const double> values, double share);
double median(std::span<const double> values);
double mean(std::span<const double> values);
// Sample standard deviation; 0 for fewer than two values.
double standard_deviation(std::span<const double> values);
// Median distance from the median, scaled so that it estimates the deviation of normal values.
double scaled_mad(std::span<const double> values);

// A 95 % interval for a quantile from order statistics, whatever the distribution. Nothing when
// there are too few values for an upper bound: p95 needs 59, p99 needs 299.
std::optional<Range> quantile_interval(std::span<const double> values, double share);
std::size_t values_needed_for(double share);

}  // namespace qanat
