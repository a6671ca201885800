// Numbers that know what they count.
//
// Bytes and SampleCount are both 64-bit integers; adding one to the other is a compile error.
#pragma once

#include <compare>
#include <cstdint>

namespace qanat {

template <typename Tag>
struct Quantity {
  std::int64_t value = 0;

  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity{a.value + b.value};
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity{a.value - b.value};
  }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
};

using Bytes = Quantity<struct BytesTag>;
using SampleCount = Quantity<struct SampleCountTag>;
using SampleRate = Quantity<struct SampleRateTag>;  // Hz
using FrameCount = Quantity<struct FrameCountTag>;
using TokenCount = Quantity<struct TokenCountTag>;
using StepIndex = Quantity<struct StepIndexTag>;

constexpr Bytes mebibytes(std::int64_t count) {
  return Bytes{count * 1024 * 1024};
}

}  // namespace qanat
