// How unsteady a series of step times is, in numbers that name what they see.
//
// The share of the mean that deviates (CV) is kept because users know it, but one hiccup decides
// it; the robust spread alone is blind to stalls that hit fewer than half of the steps. So there
// are four, and a label from all of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/message.h"

namespace qanat {

enum class Steadiness { stable, intermittent, jitter };
std::string_view to_string(Steadiness steadiness);
Message to_message(Steadiness steadiness);

struct Spread {
  double cv = 0;                        // standard deviation over mean
  double robust_cv = 0;                 // scaled MAD over median
  double tail = 0;                      // p95 over p50
  double excess_share = 0;              // of all time, what lies above the median of its step
  std::vector<std::size_t> outliers{};  // above median + 5 scaled MAD, the worst first, at most 20
  std::size_t num_outliers = 0;
  Steadiness label = Steadiness::stable;
};

// Takes work-adjusted times.
Spread measure_spread(std::span<const double> step_seconds);

}  // namespace qanat
