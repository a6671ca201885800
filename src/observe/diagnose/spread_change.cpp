#include "diagnose/spread_change.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace qanat {
namespace {

constexpr int kSpreadShuffles = 499;
constexpr int kResamples = 299;

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    logs.push_back(std::log(value));
  }
  return logs;
}

std::vector<double> distances_from_median(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) {
    distances.push_back(std::abs(value - centre));
  }
  return distances;
}

// The F statistic of two groups grows with this, whatever the labels: between the groups, over
// within them.
double separation(std::span<const double> pooled, std::size_t first) {
  const auto left = pooled.first(first);
  const auto right = pooled.subspan(first);
  const double mean_left = mean(left);
  const double mean_right = mean(right);
  double within = 0;
  for (const double value : left) {
    within += (value - mean_left) * (value - mean_left);
  }
  for (const double value : right) {
    within += (value - mean_right) * (value - mean_right);
  }
  const double between = (mean_left - mean_right) * (mean_left - mean_right);
  return within > 0 ? between / within : 0;
}

double shuffled_p_value(std::vector<double> pooled, std::size_t first, std::mt19937_64& random) {
  const double seen = separation(pooled, first);
  int as_large = 1;  // the order seen is one of the orders there are
  for (int i = 0; i < kSpreadShuffles; ++i) {
    std::ranges::shuffle(pooled, random);
    as_large += separation(pooled, first) >= seen ? 1 : 0;
  }
  return static_cast<double>(as_large) / (kSpreadShuffles + 1);
}

std::vector<double> resampled(std::span<const double> values, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
  std::vector<double> sample(values.size());
  std::ranges::generate(sample, [&] { return values[pick(random)]; });
  return sample;
}

Range bootstrap_ratio(std::span<const double> now,
                      std::span<const double> before,
                      std::mt19937_64& random) {
  std::vector<double> ratios;
  for (int i = 0; i < kResamples; ++i) {
    const double below = scaled_mad(resampled(before, random));
    const double above = scaled_mad(resampled(now, random));
    if (below > 0) {
      ratios.push_back(above / below);
    }
  }
  if (ratios.empty()) {
    return {.low = 0, .high = 0};
  }
  return {.low = quantile(ratios, 0.025), .high = quantile(ratios, 0.975)};
}

}  // namespace

SpreadChange compare_spread(std::span<const double> now, std::span<const double> before) {
  SpreadChange result;
  if (std::min(now.size(), before.size()) < kMinForSpread) {
    return result;
  }
  const std::vector<double> logs_now = logarithms(now);
  const std::vector<double> logs_before = logarithms(before);
  const double spread_before = scaled_mad(logs_before);
  if (spread_before <= 0) {
    return result;
  }
  std::mt19937_64 random(now.size() * 1'000'003 + before.size());
  std::vector<double> pooled = distances_from_median(logs_now);
  std::ranges::copy(distances_from_median(logs_before), std::back_inserter(pooled));
  result.p_value = shuffled_p_value(std::move(pooled), now.size(), random);
  result.ratio = scaled_mad(logs_now) / spread_before;
  result.ci95 = bootstrap_ratio(logs_now, logs_before, random);
  result.change = Steadier::same;
  if (result.p_value <= kSpreadAlpha && result.ci95.low > 1) {
    result.change = Steadier::less_steady;
  } else if (result.p_value <= kSpreadAlpha && result.ci95.high < 1) {
    result.change = Steadier::steadier;
  }
  return result;
}

}  // namespace qanat
