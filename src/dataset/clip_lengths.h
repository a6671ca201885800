// Lengths of clips in numbers people read: extremes, middle, and a histogram. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"

namespace qanat {

struct HistogramBin {
  Seconds from{0};  // inclusive
  Seconds to{0};    // exclusive
  std::int64_t count = 0;

  bool operator==(const HistogramBin&) const = default;
};

// At most 20 bins of a round width, from 0 to the longest clip; none for no clips.
std::vector<HistogramBin> length_histogram(std::span<const double> seconds);

struct LengthSummary {
  Seconds shortest{0};
  Seconds median{0};
  Seconds mean{0};
  Seconds p95{0};
  Seconds longest{0};

  bool operator==(const LengthSummary&) const = default;
};

std::optional<LengthSummary> summarise_lengths(std::vector<double> seconds);

}  // namespace qanat
