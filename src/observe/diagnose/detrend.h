// Takes out what changes slowly or once, so that what repeats can be told from it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace qanat {

enum class Trend { none, line, shift };

struct Detrended {
  Trend trend = Trend::none;
  std::vector<double> values{};  // without it, around the same median
  double change = 0;             // seconds: last minus first of the line, or after the shift
  std::optional<std::size_t> shift_at{};  // the first step after it
};

// A line or a shift is taken only when it explains more than a trifle of the robust spread.
Detrended remove_trend(std::span<const double> values);

}  // namespace qanat
