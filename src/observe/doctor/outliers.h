// What is usual among the clips of a set, and how far from it one of them is; a few bad clips do
// not move it. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace qanat {

// Fewer clips say nothing about what is usual.
inline constexpr std::size_t kMinUsual = 20;

struct Usual {
  double middle = 0;
  double spread = 0;  // robust standard deviation

  double distance(double value) const { return (value - middle) / spread; }
};

// `least_spread` stands in where nearly all values are the same. At least kMinUsual values.
Usual usual_of(std::span<const double> values, double least_spread);

// What is usual of values that depend on `place` (the length of a clip, say): each is compared with
// its `around` neighbors on either side. As many as values.
std::vector<Usual> usual_by_place(std::span<const double> values,
                                  std::span<const double> places,
                                  std::size_t around,
                                  double least_spread);

}  // namespace qanat
