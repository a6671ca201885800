// Numbers that know what they count: by their type in code, by their unit in what people read.
//
// Bytes and SampleCount are both 64-bit integers; adding one to the other is a compile error.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace qanat {

template <typename Tag>
struct Counted {
  std::int64_t value = 0;

  constexpr Counted& operator+=(Counted other) {
    value += other.value;
    return *this;
  }
  constexpr Counted& operator-=(Counted other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Counted operator+(Counted a, Counted b) { return Counted{a.value + b.value}; }
  friend constexpr Counted operator-(Counted a, Counted b) { return Counted{a.value - b.value}; }
  friend constexpr auto operator<=>(Counted, Counted) = default;
};

using Bytes = Counted<struct BytesTag>;
using SampleCount = Counted<struct SampleCountTag>;
using SampleRate = Counted<struct SampleRateTag>;  // Hz
using FrameCount = Counted<struct FrameCountTag>;
using TokenCount = Counted<struct TokenCountTag>;

constexpr Bytes mebibytes(std::int64_t count) {
  return Bytes{count * 1024 * 1024};
}

// How a number is written for people; see locale/translator.h.
enum class Unit {
  number,            // "0.25"
  count,             // "1,234"
  share,             // 0.12 is "12 %"
  ratio,             // "1.20x"
  seconds,           // "12.3 ms", "3.5 h": in the unit that fits
  bytes,             // "3.5 MiB"
  bytes_per_second,  // "12.5 MB/s"
  per_second,        // "12.5/s"
  hertz,             // "22050 Hz"
  watts,
  celsius,
  cores,  // "2.5 cores"
  steps,
  batches,
  lanes,
};

// Its name in JSON: "s", "B/s", "1" for what has none.
std::string_view to_string(Unit unit);

// A number of a report or a sentence.
struct Quantity {
  double value = 0;
  Unit unit = Unit::number;
  std::optional<int> decimals = std::nullopt;  // absent: as many as its size asks for

  bool operator==(const Quantity&) const = default;
};

constexpr Quantity in_percent(double share, int decimals = 0) {
  return {.value = share, .unit = Unit::share, .decimals = decimals};
}
constexpr Quantity in_seconds(double seconds, std::optional<int> decimals = std::nullopt) {
  return {.value = seconds, .unit = Unit::seconds, .decimals = decimals};
}
constexpr Quantity in_bytes(double bytes) {
  return {.value = bytes, .unit = Unit::bytes};
}
constexpr Quantity in_bytes_per_second(double rate) {
  return {.value = rate, .unit = Unit::bytes_per_second};
}
constexpr Quantity times(double ratio, int decimals = 2) {
  return {.value = ratio, .unit = Unit::ratio, .decimals = decimals};
}
// A count without marks between its thousands: samples, bytes, hertz.
constexpr Quantity ungrouped(std::integral auto number) {
  return {.value = static_cast<double>(number), .decimals = 0};
}
constexpr Quantity plain(double number, int decimals) {
  return {.value = number, .unit = Unit::number, .decimals = decimals};
}

}  // namespace qanat
