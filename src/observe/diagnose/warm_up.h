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

// How many steps were fed from batches that were prefetched before the first one, by how long the
// batch of each step lay ready. Until they are used up, a slow loader looks fast. 0 if they were
// few, were never used up, were made up for later, or lasted until something else changed.
std::size_t steps_on_prefill(std::span<const double> ready_seconds, double step_seconds);

}  // namespace qanat
