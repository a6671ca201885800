// Where the bytes of a shard are: a file, or a test's memory.
//
// Not a memory mapping: a file that shrinks, or a disk that fails, under a mapping ends the process
// with SIGBUS. Here both are a Failure of the entry that was asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/result.h"

namespace qanat {

// Thread-safe.
class ShardBytes {
 public:
  virtual ~ShardBytes() = default;

  // When it was opened.
  virtual std::uint64_t size() const = 0;
  // Fills `first` and then `second` with the bytes from `offset` on, whole; else says why not.
  virtual Result<Done> read(std::uint64_t offset,
                            std::span<std::byte> first,
                            std::span<std::byte> second) const = 0;
};

// Holds the file open: it can be deleted or replaced meanwhile.
Result<std::unique_ptr<ShardBytes>> open_shard_file(const std::filesystem::path& path);

// Raises how many files this process may have open, so that `count` more fit, as far as the system
// allows it. The usual limit is 1024, which is 64 GB of shards.
void make_room_for_open_files(std::size_t count);

}  // namespace qanat
