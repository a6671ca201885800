// For the tests of shards and of what is built on them: small made-up features, and bytes to
// damage.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "features/shard_writer.h"

namespace qanat {

inline constexpr std::uint32_t kTestBins = 4;

struct TestFeatures {
  std::string id;
  FeatureKey key;
  std::vector<float> mel;  // [frames, kTestBins]
  std::vector<std::int32_t> tokens;

  FeatureRecord record() const { return {.id = id, .key = key, .mel = mel, .tokens = tokens}; }
};

// A function of `number`. Odd counts, so that half-precision blocks need padding both before and
// behind their tokens.
inline TestFeatures make_features(int number) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::uniform_real_distribution<float> mel(-11.5F, 2.0F);
  TestFeatures made{.id = "utt-" + std::to_string(number),
                    .key = {.audio = {.size = Bytes{1000 + number}, .modified_ns = 77 + number},
                            .text_hash = 0xABCDEF00U + static_cast<unsigned>(number)},
                    .mel = std::vector<float>(kTestBins * static_cast<std::size_t>(3 + 2 * number)),
                    .tokens = std::vector<std::int32_t>(static_cast<std::size_t>(5 + number))};
  for (float& value : made.mel) {
    value = mel(random);
  }
  for (std::int32_t& token : made.tokens) {
    token = static_cast<std::int32_t>(random() % 200);
  }
  return made;
}

// A copy of bytes at an address where a shard may be opened, free to be damaged.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::span<const std::byte> from)
      : lines_(from.size() / kShardAlignment + 1), size_(from.size()) {
    std::ranges::copy(from, bytes().begin());
  }

  std::span<std::byte> bytes() { return {lines_.front().bytes.data(), size_}; }

 private:
  struct alignas(kShardAlignment) Line {
    std::array<std::byte, kShardAlignment> bytes;
  };

  std::vector<Line> lines_;
  std::size_t size_;
};

}  // namespace qanat
