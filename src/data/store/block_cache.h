// Blocks of objects on the local disk, so that a second epoch, a second process and a second run
// fetch nothing again.
//
// A block is a file that appears whole, with a checksum: a process that is killed leaves nothing
// that could be read wrongly, and what is damaged is fetched again. Blocks that this process has
// used stay until it ends; those used longest ago make room for others.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "base/quantity.h"

namespace qanat {

inline constexpr std::int64_t kStoreBlock = 1 << 20;

// Which block of which version of which object.
struct BlockKey {
  std::uint64_t object = 0;
  std::int64_t number = 0;

  auto operator<=>(const BlockKey&) const = default;
};

struct BlockCacheOptions {
  std::filesystem::path folder;
  Bytes budget;
  Bytes spare = mebibytes(1024);  // that stays free on the disk
  // What is used from now on is of this run.
  std::chrono::system_clock::time_point begun = std::chrono::system_clock::now();
};

// Thread-safe. Processes may share a folder; together they may exceed the budget by what each
// writes between two counts of all of it, a 64th of the budget.
class BlockCache {
 public:
  // Throws Error when the folder cannot be made.
  explicit BlockCache(BlockCacheOptions options);

  // `out` from `offset` of the block on. False: it is not there, or not as it was written.
  bool read(const BlockKey& key, std::int64_t offset, std::span<std::byte> out);
  // Whether there is such a file.
  bool has(const BlockKey& key) const;
  // Whether there is, or can be made, room for so many bytes more; they are taken then.
  bool reserve(std::int64_t size);
  // Keeps a block, for which room was reserved. A disk that refuses is no failure.
  void keep(const BlockKey& key, std::span<const std::byte> bytes);

  Bytes used() const;

 private:
  std::filesystem::path path_of(const BlockKey& key) const;
  bool is_free_on_disk(std::int64_t size) const;
  // Makes room for `size` more where it can.
  void look_at_all(std::int64_t size);

  const BlockCacheOptions options_;
  std::atomic<std::uint64_t> written_ = 0;
  mutable std::mutex mutex_;   // guards all below
  std::set<BlockKey> seen_;    // checked by this process
  std::int64_t used_ = 0;      // bytes, as far as is known
  std::int64_t unlooked_ = 0;  // of these: taken since all files were looked at
  bool is_full_ = false;       // and all of it is in use
  std::int64_t refused_ = 0;   // bytes that found no room since
};

}  // namespace qanat
