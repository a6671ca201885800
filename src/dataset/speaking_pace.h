// Finds utterances spoken far faster or slower than the others: mostly a text that belongs to
// another clip. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace qanat {

struct PaceOutlier {
  std::size_t item = 0;  // position in the span
  double pace = 0;       // characters per second
  double usual = 0;      // the median of the set
};

// `paces` are characters per second, all above zero. An outlier is more than 4 robust standard
// deviations (median absolute deviation of the logarithm) and at least a factor of 1.5 from the
// median. Fewer than 20 values have no outliers: nothing can be said about what is usual.
std::vector<PaceOutlier> pace_outliers(std::span<const double> paces);

}  // namespace qanat
