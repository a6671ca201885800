// Did a run get steadier or less steady than another? Brown-Forsythe on the logarithms of step
// times, with a p-value from shuffles and the ratio of spreads with a bootstrap interval.
//
// A difference of variation coefficients is no test: one hiccup moves it by any amount. Deviations
// from the median of logarithms are moved by it as little as one step in many should.
#pragma once

#include <span>
#include <string_view>

#include "metrics/order_statistics.h"

namespace qanat {

enum class Steadier { unknown, same, steadier, less_steady };
std::string_view to_string(Steadier change);

struct SpreadChange {
  double p_value = 1;
  double ratio = 1;  // scaled MAD of the logarithms, now over before
  Range ci95{.low = 1, .high = 1};
  Steadier change = Steadier::unknown;
};

// Fewer values than this on a side are too few to tell.
inline constexpr std::size_t kMinForSpread = 20;
// A change counts when it is this improbable by chance and its interval excludes 1.
inline constexpr double kSpreadAlpha = 0.01;

// Compares work-adjusted times in steady state, all above 0. The same input gives the same answer.
SpreadChange compare_spread(std::span<const double> now, std::span<const double> before);

}  // namespace qanat
