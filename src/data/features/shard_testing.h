// For the tests of shards and of what is built on them: small made-up features, and bytes to
// damage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "features/feature_store_writer.h"
#include "features/shard_reader.h"

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

// Bytes somebody else keeps, and may damage meanwhile.
class ShardInMemory : public ShardBytes {
 public:
  explicit ShardInMemory(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }
  Result<Done> read(std::uint64_t offset,
                    std::span<std::byte> first,
                    std::span<std::byte> second) const override {
    QANAT_CHECK(offset <= bytes_.size() && first.size() + second.size() <= bytes_.size() - offset)
        << offset;
    const auto from = bytes_.subspan(offset);
    std::ranges::copy(from.first(first.size()), first.begin());
    std::ranges::copy(from.subspan(first.size(), second.size()), second.begin());
    return Done{};
  }

 private:
  std::span<const std::byte> bytes_;
};

inline Result<ShardReader> open_in_memory(std::span<const std::byte> bytes) {
  return ShardReader::open(std::make_unique<ShardInMemory>(bytes));
}

}  // namespace qanat
