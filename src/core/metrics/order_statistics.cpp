#include "metrics/order_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace qanat {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kNormalMad = 1.4826;  // deviation of a normal sample over its MAD

// P(exactly k of n values lie below the quantile); in logs, since n may be large.
double binomial(std::size_t k, std::size_t n, double p) {
  const double count = static_cast<double>(n);
  const double at = static_cast<double>(k);
  return std::exp(std::lgamma(count + 1) - std::lgamma(at + 1) - std::lgamma(count - at + 1) +
                  at * std::log(p) + (count - at) * std::log1p(-p));
}

}  // namespace

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> ascending(values.begin(), values.end());
  std::ranges::sort(ascending);
  return ascending;
}

double quantile_of_sorted(std::span<const double> ascending, double share) {
  QANAT_CHECK(!ascending.empty()) << "a quantile of nothing";
  const double at = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double fraction = at - static_cast<double>(below);
  return ascending[below] + fraction * (ascending[above] - ascending[below]);
}

double quantile(std::span<const double> values, double share) {
  return quantile_of_sorted(sorted(values), share);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double mean(std::span<const double> values) {
  QANAT_CHECK(!values.empty()) << "a mean of nothing";
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) {
    return 0;
  }
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) {
    squares += (value - centre) * (value - centre);
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double scaled_mad(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) {
    distances.push_back(std::abs(value - centre));
  }
  return kNormalMad * median(distances);
}

std::size_t values_needed_for(double share) {
  // The greatest of n values lies above the quantile with probability 1 - share^n.
  return static_cast<std::size_t>(std::ceil(std::log(1 - kConfidence) / std::log(share)));
}

std::optional<Range> quantile_interval(std::span<const double> values, double share) {
  const std::size_t n = values.size();
  if (n < values_needed_for(std::max(share, 1 - share))) {
    return std::nullopt;
  }
  const std::vector<double> ascending = sorted(values);
  const double tail = (1 - kConfidence) / 2;
  // The outermost values stand in where no order statistic reaches the tail.
  Range interval{.low = ascending.front(), .high = ascending.back()};
  double at_most = 0;  // P(at most i values lie below the quantile)
  for (std::size_t i = 0; i < n; ++i) {
    at_most += binomial(i, n, share);
    if (at_most <= tail) {
      interval.low = ascending[i];
    }
    if (at_most >= 1 - tail) {
      interval.high = ascending[i];
      break;
    }
  }
  return interval;
}

}  // namespace qanat
