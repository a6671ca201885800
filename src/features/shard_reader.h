// Reads one shard, wherever its bytes are.
//
// open() reads and checks everything but the blocks themselves: header, footer, index, every
// offset; the index stays in memory. read() checks the block against its checksum each time: bytes
// that changed since are never handed out. All methods are const and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "audio/audio_file.h"
#include "base/quantity.h"
#include "base/result.h"
#include "features/shard_bytes.h"
#include "features/shard_format.h"

namespace qanat {

struct ShardEntry {
  std::string_view id;
  FeatureKey key;
  FrameCount frames;
  TokenCount tokens;
};

// Room for the features of one entry, exactly as large as they are.
struct FeatureRoom {
  std::span<float> mel;  // [frames, mel_bins]
  std::span<std::int32_t> tokens;
};

class ShardReader {
 public:
  static Result<ShardReader> open(std::unique_ptr<ShardBytes> bytes);

  const ShardSettings& settings() const { return settings_; }
  std::size_t size() const { return num_entries_; }

  // Its id lives as long as the reader, wherever that is moved.
  ShardEntry entry(std::size_t index) const;

  // Half precision is widened. A Failure may leave anything in the room.
  Result<Done> read(std::size_t index, const FeatureRoom& room, PageBuffer& scratch) const;
  // Reads a block only to check it.
  Result<Done> check(std::size_t index, PageBuffer& scratch) const;

 private:
  ShardReader(std::unique_ptr<ShardBytes> bytes, const ShardSettings& settings)
      : bytes_(std::move(bytes)), settings_(settings) {}

  Result<Done> read_index(const ShardFooter& footer);
  Result<Done> check_records(const ShardFooter& footer) const;
  ShardRecord record(std::size_t index) const;
  BlockLayout layout(const ShardRecord& record) const;
  std::string_view ids() const;

  std::unique_ptr<ShardBytes> bytes_;
  ShardSettings settings_;
  std::size_t num_entries_ = 0;
  std::vector<std::byte> index_;  // records, then ids
};

}  // namespace qanat
