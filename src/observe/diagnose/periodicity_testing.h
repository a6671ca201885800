// Step times without a period that a careless test takes for one: shared by the quick test of
// periodicity and by its calibration.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace qanat {

using Random = std::mt19937_64;

inline std::vector<double> white(Random& random, std::size_t count) {
  std::normal_distribution<double> normal(0.1, 0.01);
  std::vector<double> values(count);
  for (double& value : values) {
    value = normal(random);
  }
  return values;
}

inline std::vector<double> drift_series(Random& random, std::size_t count) {
  std::vector<double> values = white(random, count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] += 0.05 * static_cast<double>(i) / static_cast<double>(count);
  }
  return values;
}

inline std::vector<double> level_shift_series(Random& random, std::size_t count) {
  std::vector<double> values = white(random, count);
  for (std::size_t i = count / 3; i < count; ++i) {
    values[i] += 0.05;
  }
  return values;
}

inline std::vector<double> autoregressive_series(Random& random, std::size_t count) {
  std::vector<double> values = white(random, count);
  for (std::size_t i = 1; i < count; ++i) {
    values[i] = 0.1 + 0.6 * (values[i - 1] - 0.1) + (values[i] - 0.1);
  }
  return values;
}

inline std::vector<double> warm_up_series(Random& random, std::size_t count) {
  std::vector<double> values = white(random, count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] += 0.2 * std::exp(-static_cast<double>(i) / 10);
  }
  return values;
}

}  // namespace qanat
