#include "evaluate/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "base/check.h"

namespace qanat {
namespace {

constexpr std::uint64_t kSeed = 20'110'523;

double weighted_mean(std::span<const Weighted> values) {
  double sum = 0;
  double weight = 0;
  for (const Weighted& one : values) {
    sum += one.value * one.weight;
    weight += one.weight;
  }
  return weight > 0 ? sum / weight : 0;
}

// Means of as many values drawn again and again; in ascending order.
std::vector<double> resampled_means(std::span<const Weighted> values) {
  std::mt19937_64 random(kSeed);
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    double sum = 0;
    double weight = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Weighted& one = values[random() % values.size()];
      sum += one.value * one.weight;
      weight += one.weight;
    }
    mean = weight > 0 ? sum / weight : 0;
  }
  std::ranges::sort(means);
  return means;
}

// How far a sum may be off by rounding and still count as the same.
double tolerance(std::span<const double> parts) {
  double sum = 0;
  for (const double part : parts) {
    sum += std::abs(part);
  }
  return 1e-12 * sum;
}

// Bit i of `signs` turns part i.
double signed_sum(std::span<const double> parts, std::uint64_t signs) {
  double sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sum += (signs >> i & 1) != 0 ? -parts[i] : parts[i];
  }
  return sum;
}

double exact_p_value(std::span<const double> parts, double observed) {
  const std::uint64_t all = std::uint64_t{1} << parts.size();
  std::uint64_t extreme = 0;
  for (std::uint64_t signs = 0; signs < all; ++signs) {
    extreme += std::abs(signed_sum(parts, signs)) >= observed ? 1 : 0;
  }
  return static_cast<double>(extreme) / static_cast<double>(all);
}

double random_p_value(std::span<const double> parts, double observed) {
  std::mt19937_64 random(kSeed);
  std::uint64_t extreme = 0;
  for (std::size_t draw = 0; draw < kRandomSigns; ++draw) {
    double sum = 0;
    for (std::size_t begin = 0; begin < parts.size(); begin += 64) {
      sum += signed_sum(parts.subspan(begin, std::min<std::size_t>(64, parts.size() - begin)),
                        random());
    }
    extreme += std::abs(sum) >= observed ? 1 : 0;
  }
  // What was seen is one of the draws: the value is never zero.
  return static_cast<double>(extreme + 1) / static_cast<double>(kRandomSigns + 1);
}

}  // namespace

Estimate estimate_mean(std::span<const Weighted> values) {
  QANAT_CHECK(!values.empty()) << "no values";
  const std::vector<double> means = resampled_means(values);
  return {.mean = weighted_mean(values),
          .interval = {.low = quantile_of_sorted(means, 0.025),
                       .high = quantile_of_sorted(means, 0.975)},
          .count = values.size()};
}

PairedDifference estimate_difference(std::span<const Weighted> differences) {
  PairedDifference result{.change = estimate_mean(differences)};
  std::vector<double> parts;
  parts.reserve(differences.size());
  for (const Weighted& one : differences) {
    parts.push_back(one.value * one.weight);
  }
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  const double observed = std::abs(sum) - tolerance(parts);
  result.p_value = parts.size() <= kMaxExactSigns ? exact_p_value(parts, observed)
                                                  : random_p_value(parts, observed);
  return result;
}

}  // namespace qanat
