// How long many things took, in buckets whose bounds grow by the square root of two. A value; a
// few hundred bytes, whatever was counted.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace qanat {

struct LogHistogram {
  static constexpr std::size_t kBuckets = 44;  // 16 us to 47 s, and what is beyond either end
  static constexpr Seconds kFirst{16e-6};

  std::array<std::int64_t, kBuckets> counts{};

  static std::size_t bucket_of(Seconds time) {
    const double octaves = std::log2(std::max(time / kFirst, 1.0));
    return std::min(static_cast<std::size_t>(2 * octaves), kBuckets - 1);
  }
  // A time in the middle of a bucket.
  static Seconds middle_of(std::size_t bucket) {
    return kFirst * std::exp2((static_cast<double>(bucket) + 0.5) / 2);
  }

  void add(Seconds time) { ++counts[bucket_of(time)]; }

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) {
      sum += count;
    }
    return sum;
  }

  // The time that half of all took less than; 0 when nothing was counted.
  Seconds median() const {
    std::int64_t left = (total() + 1) / 2;
    for (std::size_t i = 0; i < kBuckets && left > 0; ++i) {
      left -= counts[i];
      if (left <= 0) {
        return middle_of(i);
      }
    }
    return Seconds{0};
  }

  bool operator==(const LogHistogram&) const = default;
};

}  // namespace qanat
