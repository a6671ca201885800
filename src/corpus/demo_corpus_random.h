// Random numbers that are the same on every machine: the demo corpus is a function of its seed,
// and the distributions of the standard library are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace qanat {

// Value. SplitMix64: every seed is good, neighbouring seeds are unrelated.
class DemoRandom {
 public:
  explicit DemoRandom(std::uint64_t seed) : state_(seed) {}
  // The stream of one item, whatever was drawn for the others.
  DemoRandom(std::uint64_t seed, std::uint64_t item)
      : state_(DemoRandom(seed).next() ^ DemoRandom(~item).next()) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  // From first to last, both included.
  int between(int first, int last) {
    return first + static_cast<int>(uniform() * (last - first + 1));
  }

  template <typename T>
  const T& pick(std::span<const T> choices) {
    return choices[static_cast<std::size_t>(uniform() * static_cast<double>(choices.size()))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace qanat
