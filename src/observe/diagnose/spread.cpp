#include "diagnose/spread.h"

#include <algorithm>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr double kOutlierDistance = 5;  // in scaled MADs
constexpr std::size_t kMaxListed = 20;
constexpr double kHighSpread = 0.20;  // of robust_cv: jitter
constexpr double kHighTail = 1.5;     // of p95 / p50: many steps stall
constexpr double kHighExcess = 0.05;  // of the time lies in rare long steps

std::vector<std::size_t> find_outliers(std::span<const double> values,
                                       double centre,
                                       double deviation) {
  // Times that are all equal but a few have no MAD; a tenth above is no news either way.
  const double limit = centre + std::max(kOutlierDistance * deviation, 0.1 * centre);
  std::vector<std::size_t> outliers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > limit) {
      outliers.push_back(i);
    }
  }
  std::ranges::sort(outliers, [values](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  return outliers;
}

Steadiness label_of(const Spread& spread) {
  if (spread.robust_cv > kHighSpread) {
    return Steadiness::jitter;
  }
  const bool stalls = spread.tail > kHighTail || spread.excess_share > kHighExcess;
  return stalls && spread.num_outliers > 2 ? Steadiness::intermittent : Steadiness::stable;
}

}  // namespace

Spread measure_spread(std::span<const double> step_seconds) {
  const std::vector<double> ascending = sorted(step_seconds);
  const double centre = quantile_of_sorted(ascending, 0.5);
  const double deviation = scaled_mad(step_seconds);
  double total = 0;
  double excess = 0;
  for (const double value : step_seconds) {
    total += value;
    excess += std::max(0.0, value - centre);
  }
  Spread spread;
  spread.cv = standard_deviation(step_seconds) / mean(step_seconds);
  spread.robust_cv = deviation / centre;
  spread.tail = quantile_of_sorted(ascending, 0.95) / centre;
  spread.excess_share = excess / total;
  spread.outliers = find_outliers(step_seconds, centre, deviation);
  spread.num_outliers = spread.outliers.size();
  spread.outliers.resize(std::min(spread.outliers.size(), kMaxListed));
  spread.label = label_of(spread);
  return spread;
}

}  // namespace qanat
