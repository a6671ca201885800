#include "diagnose/intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace qanat {
namespace {

// At `lag`, not divided by the count.
double autocovariance(std::span<const double> values, double centre, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < values.size(); ++i) {
    sum += (values[i] - centre) * (values[i - lag] - centre);
  }
  return sum;
}

}  // namespace

double effective_count(std::span<const double> values) {
  const double count = static_cast<double>(values.size());
  if (values.size() < 4) {
    return count;
  }
  const double centre = mean(values);
  const double variance = autocovariance(values, centre, 0);
  if (variance <= 0) {
    return count;
  }
  // Sokal's window: sum until the lag is several times the sum, past which there is only noise.
  double time = 1;
  for (std::size_t lag = 1; lag < values.size() / 2; ++lag) {
    time += 2 * autocovariance(values, centre, lag) / variance;
    if (static_cast<double>(lag) >= 5 * time) {
      break;
    }
  }
  // The sum is biased downwards; a memory of one step alone implies this much.
  const double neighbour = autocovariance(values, centre, 1) / variance;
  time = std::max(time, (1 + neighbour) / (1 - neighbour));
  return std::clamp(count / time, 1.0, count);
}

Range mean_interval(std::span<const double> values) {
  const double error = standard_deviation(values) / std::sqrt(effective_count(values));
  return {.low = mean(values) - 1.96 * error, .high = mean(values) + 1.96 * error};
}

double student_quantile(std::size_t degrees) {
  constexpr std::array kQuantiles = {
      12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  return degrees <= kQuantiles.size() ? kQuantiles.at(degrees - 1)
                                      : 1.96 + 2.7 / static_cast<double>(degrees);
}

Range mean_interval_of_few(std::span<const double> values) {
  QANAT_CHECK(values.size() >= 2);
  const double error = standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
  const double reach = student_quantile(values.size() - 1) * error;
  return {.low = mean(values) - reach, .high = mean(values) + reach};
}

Range ratio_interval(std::span<const double> above, std::span<const double> below) {
  QANAT_CHECK(above.size() == below.size() && !above.empty());
  const double scale = mean(below);
  const double ratio = mean(above) / scale;
  // To first order the ratio errs as the mean of these does.
  std::vector<double> errors;
  errors.reserve(above.size());
  for (std::size_t i = 0; i < above.size(); ++i) {
    errors.push_back((above[i] - ratio * below[i]) / scale);
  }
  const Range error = mean_interval(errors);
  return {.low = ratio + error.low, .high = ratio + error.high};
}

}  // namespace qanat
