#include "diagnose/normal_scores.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace qanat {

double normal_quantile(double share) {
  // Newton's method on the distribution function; it is smooth and a few steps are exact.
  double x = 0;
  for (int i = 0; i < 60; ++i) {
    const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - share;
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    // Far out the density vanishes: no step longer than one.
    const double step = std::clamp(error / std::max(density, 1e-300), -1.0, 1.0);
    x -= step;
    if (std::abs(step) < 1e-12) {
      break;
    }
  }
  return x;
}

std::vector<double> normal_scores(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [values](std::size_t i) { return values[i]; });
  std::vector<double> scores(values.size());
  const double count = static_cast<double>(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;  // of a run of equal values, which share one score
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) {
      ++last;
    }
    const double rank = 0.5 * static_cast<double>(first + last) + 0.5;
    const double score = normal_quantile(rank / count);
    for (; first <= last; ++first) {
      scores[order[first]] = score;
    }
  }
  return scores;
}

}  // namespace qanat
