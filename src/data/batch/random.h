// Random numbers that are the same on every platform and in every release: plans are rebuilt from
// a seed years later. std::shuffle and the std distributions do not promise that.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

namespace qanat {

// The finaliser of splitmix64: every input bit reaches every output bit.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9U;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// xoshiro256**, keyed by any number of integers: different keys give unrelated sequences.
class Random {
 public:
  constexpr Random(std::initializer_list<std::uint64_t> key) {
    std::uint64_t state = 0;
    for (const std::uint64_t part : key) {
      state = mix_bits(state + kGolden + mix_bits(part));
    }
    for (std::uint64_t& word : words_) {
      state += kGolden;
      word = mix_bits(state);
    }
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(words_[1] * 5, 7) * 9;
    const std::uint64_t shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = std::rotl(words_[3], 45);
    return result;
  }

  // Uniform in [0, 1).
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform in [0, bound), without bias; bound > 0. Multiply-shift with rejection (Lemire).
  constexpr std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = (next() >> 32) * bound;
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;

  std::array<std::uint64_t, 4> words_{};
};

template <typename T>
void shuffle(std::span<T> values, Random& random) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[random.below(static_cast<std::uint32_t>(left))]);
  }
}

}  // namespace qanat
