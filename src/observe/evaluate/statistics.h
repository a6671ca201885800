// How sure a mean over utterances is, and whether two systems differ. No distribution is assumed.
// The same values give the same figures on every machine. Pure functions.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "metrics/order_statistics.h"

namespace qanat {

// A value of one utterance. Shares of something count by how much of it there is: word errors by
// words, so that the mean of all is that of the whole set.
struct Weighted {
  double value = 0;
  double weight = 1;
};

struct Estimate {
  double mean = 0;
  Range interval{};  // 95 %: percentiles over resampled utterances
  std::size_t count = 0;
};

// Takes at least one value; the interval of one value is that value.
Estimate estimate_mean(std::span<const Weighted> values);

struct PairedDifference {
  Estimate change{};   // second less first
  double p_value = 1;  // that signs were drawn by lot: a permutation test, two-sided
};

// Takes a difference for each utterance that both systems spoke. Exact up to kMaxExactSigns of
// them; above, over kRandomSigns draws.
PairedDifference estimate_difference(std::span<const Weighted> differences);

// The p-value if all of so many differences have one sign.
inline double smallest_p_value(std::size_t count) {
  return std::ldexp(2.0, -static_cast<int>(count));
}

inline constexpr std::size_t kMaxExactSigns = 16;
inline constexpr std::size_t kRandomSigns = 100'000;
inline constexpr std::size_t kResamples = 10'000;

}  // namespace qanat
