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

}  // namespace qanat
