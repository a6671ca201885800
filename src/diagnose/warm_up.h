// Where a run's warm-up ends: MSER-5. Cuts as much as makes the mean of the rest most certain.
#pragma once

#include <cstddef>
#include <span>

namespace qanat {

struct WarmUp {
  std::size_t steps = 0;  // belong to the warm-up
  // False: even the best cut lies at half of the series, so it has not settled; run longer.
  bool settled = true;
};

WarmUp find_warm_up(std::span<const double> step_seconds);

// How many steps a run lived on batches that were loaded before its first one, by how long the
// batch of each step lay ready. A loader that is too slow is not felt until they are used up; 0
// when they never are, were few, are made up for later, or lasted until something else changed.
std::size_t steps_on_stock(std::span<const double> ready_seconds, double step_seconds);

}  // namespace qanat
