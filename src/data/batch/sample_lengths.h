// Lengths for tests and benchmarks: a data set's shape without the data set.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "batch/bucket_edges.h"
#include "batch/random.h"

namespace qanat {

// Distributed like LJSpeech: 1.1 to 10.1 s, mean 6.6 s, skewed to the long end; 86.1 frames per
// second and about 15 characters per second. Random batches of 16 waste a third of it in padding.
inline std::vector<ItemLength> sample_lengths(std::size_t count, std::uint64_t seed = 1) {
  constexpr double kUnit = 1.0 / 4294967296.0;
  Random random{seed};
  std::vector<ItemLength> lengths(count);
  for (ItemLength& length : lengths) {
    const double seconds = 1.1 + 9.0 * std::pow(random.below(UINT32_MAX) * kUnit, 0.64);
    const double pace = 12.0 + 6.0 * random.below(UINT32_MAX) * kUnit;
    length = {.frames = static_cast<std::uint32_t>(seconds * 22050 / 256),
              .tokens = static_cast<std::uint32_t>(seconds * pace) + 2};
  }
  return lengths;
}

// Short utterances, so that tests are about batches and not about memory.
inline std::vector<ItemLength> short_lengths(std::size_t count) {
  std::vector<ItemLength> lengths = sample_lengths(count);
  for (ItemLength& length : lengths) {
    length = {.frames = 2 + length.frames / 40, .tokens = 1 + length.tokens / 10};
  }
  return lengths;
}

}  // namespace qanat
