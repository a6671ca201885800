// Reads one shard, wherever its bytes are.
//
// open() reads and checks everything but the blocks themselves: header, footer, index, every
// offset; the index stays in memory. read() checks the block against its checksum each time: bytes
// that changed since are never handed out. All methods are const and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "audio/audio_file.h"
#include "base/quantity.h"
#include "base/result.h"
#include "features/shard_format.h"

namespace qanat {

// Where the bytes of a shard are: a file, or a test's memory.
//
// Not a memory mapping: a file that shrinks, or a disk that fails, under a mapping ends the process
// with SIGBUS. Here both are a Failure of the entry that was asked for.
//
// Thread-safe.
class ShardBytes {
 public:
  virtual ~ShardBytes() = default;

  // When it was opened.
  virtual std::uint64_t size() const = 0;
  // Fills `first` and then `second` with the bytes from `offset` on, whole; else says why not. The
  // Failure has a trouble where the system refused: then nothing is known of the bytes.
  virtual Result<Done> read(std::uint64_t offset,
                            std::span<std::byte> first,
                            std::span<std::byte> second) const = 0;
};

// Holds the file open: it can be deleted or replaced meanwhile.
Result<std::unique_ptr<ShardBytes>> open_shard_file(const std::filesystem::path& path);

// Raises how many files this process may have open, so that `count` more fit, as far as the system
// allows it. The usual limit is 1024, which is 64 GB of shards.
void make_room_for_open_files(std::size_t count);
// How many it may have open now, and how many it needs for `count` more.
std::size_t open_files_limit();
std::size_t open_files_for(std::size_t count);

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
