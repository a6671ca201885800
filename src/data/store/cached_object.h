// An object that is read through the cache: whole blocks are fetched and kept while there is room
// for them, and exactly what is asked for where there is none.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "store/block_cache.h"
#include "store/store.h"

namespace qanat {

// Thread-safe: what one thread fetches, others wait for. read() throws Error where the store gives
// nothing.
class CachedObject final : public RandomAccess {
 public:
  CachedObject(std::shared_ptr<const StoredObject> object, std::shared_ptr<BlockCache> cache);

  Bytes size() const override { return object_->size(); }
  Result<Done> read(Bytes offset, std::span<std::byte> out) const override;

 private:
  // Blocks, `first` to before `end`.
  struct Blocks {
    std::int64_t first = 0;
    std::int64_t end = 0;
  };
  class Claim;

  std::int64_t bytes_in(const Blocks& blocks) const;
  bool read_kept(std::int64_t block, std::int64_t offset, std::span<std::byte> out) const;
  std::int64_t first_kept(std::int64_t offset, std::int64_t wanted) const;
  Result<std::int64_t> read_missing(std::int64_t offset, std::span<std::byte> out) const;
  Result<std::vector<std::byte>> fetch(const Blocks& blocks) const;

  const std::shared_ptr<const StoredObject> object_;
  const std::shared_ptr<BlockCache> cache_;  // shared by the objects of a set
  const std::uint64_t key_;

  mutable std::mutex mutex_;  // guards coming_
  mutable std::condition_variable arrived_;
  mutable std::set<std::int64_t> coming_;  // blocks that some thread fetches
};

}  // namespace qanat
