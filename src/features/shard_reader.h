// Reads one shard out of bytes somebody else keeps (a mapping, a test's buffer).
//
// open() checks everything but the blocks themselves: header, footer, index, every offset. After
// that no access can leave the bytes, whatever they say. intact() checks one block. All methods
// are const and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/quantity.h"
#include "base/result.h"
#include "features/shard_format.h"

namespace qanat {

struct ShardEntry {
  std::string_view id;
  FeatureKey key;
  FrameCount frames;
  TokenCount tokens;
};

class ShardView {
 public:
  // `bytes` have to start at a multiple of kShardAlignment, as a mapping does.
  static Result<ShardView> open(std::span<const std::byte> bytes);

  const ShardSettings& settings() const { return settings_; }
  std::size_t size() const { return num_entries_; }

  ShardEntry entry(std::size_t index) const;
  bool intact(std::size_t index) const;
  // [frames, mel_bins] of settings().dtype
  std::span<const std::byte> mel(std::size_t index) const;
  std::span<const std::int32_t> tokens(std::size_t index) const;

 private:
  ShardView(std::span<const std::byte> bytes, const ShardSettings& settings)
      : bytes_(bytes), settings_(settings) {}

  Result<Done> check_index(const ShardFooter& footer);
  ShardRecord record(std::size_t index) const;
  BlockLayout layout(const ShardRecord& record) const;

  std::span<const std::byte> bytes_;
  ShardSettings settings_;
  std::size_t num_entries_ = 0;
  std::span<const std::byte> records_;
  std::string_view ids_;
};

}  // namespace qanat
