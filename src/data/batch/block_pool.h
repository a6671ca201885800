// Blocks of host memory, all of one size, that batches borrow and give back.
//
// A fresh block costs a page fault per page it touches (2,500 for 10 MB; 20 ms were measured for 8
// MB of pinned memory), so blocks are kept and the one returned last is lent first. Borrowing a
// free block never waits for one that is being allocated. The allocator is pluggable: plain memory
// here, pinned memory from device/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/message.h"
#include "base/quantity.h"

namespace qanat {

// Large blocks of plain memory, mapped directly from the kernel.
//
// Zeroed memory aligned to a page, in huge pages as far as it is large enough and the kernel offers
// them. Measured on rows of 143 kB: copying them costs 10 % less than in small pages (fewer TLB
// misses), touching them for the first time a quarter (512 times fewer page faults). Throws Error
// when there is no memory; `purpose` says what for.
std::byte* map_host_memory(std::size_t bytes, const MessageArg& purpose);
void unmap_host_memory(std::byte* memory, std::size_t bytes) noexcept;

// Makes blocks aligned to kBlockAlignment. Called by one pool and one thread at a time; lives as
// long as the pool.
class BlockAllocator {
 public:
  virtual ~BlockAllocator() = default;
  virtual std::byte* allocate(std::size_t bytes) = 0;  // throws Error
  virtual void release(std::byte* block, std::size_t bytes) noexcept = 0;
  // So many blocks of that size may be asked for: for allocators whose work holds others up. What
  // cannot be had now is missed when it is asked for.
  virtual void prepare(std::size_t /*bytes*/, std::int64_t /*blocks*/) {}
};

// Anonymous memory, in huge pages where the kernel offers them.
std::unique_ptr<BlockAllocator> make_host_allocator();

class BlockPool;

// Blocks that a pool no longer counts; freed with this. Freeing may take long (pinned memory) or
// wait for a lock of whoever gave the memory, so it is done where no lock is held. Shares the pool,
// whose allocator frees them.
class SurplusBlocks {
 public:
  SurplusBlocks(std::shared_ptr<BlockPool> pool, std::vector<std::byte*> blocks);
  SurplusBlocks(SurplusBlocks&&) = default;
  SurplusBlocks& operator=(SurplusBlocks&&) = delete;
  SurplusBlocks(const SurplusBlocks&) = delete;
  SurplusBlocks& operator=(const SurplusBlocks&) = delete;
  ~SurplusBlocks();

 private:
  std::shared_ptr<BlockPool> pool_;
  std::vector<std::byte*> blocks_;
};

struct PoolStats {
  Bytes block_bytes;
  std::int64_t blocks = 0;  // allocated, lent or not
  std::int64_t lent = 0;
  std::int64_t most_lent = 0;
};

// Thread-safe. Owned through shared_ptr by its loader and by every batch that is out, so that a
// batch may outlive the loader it came from.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
 public:
  BlockPool(std::size_t block_bytes, std::unique_ptr<BlockAllocator> allocator);
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool();

  std::byte* borrow();  // makes a block when none is free
  void add_block();     // makes one for later
  // Lets the allocator do what it can do before the first is borrowed.
  void prepare(std::int64_t blocks);
  void give_back(std::byte* block) noexcept;
  // Sets the listener that is called, without a lock of the pool, after a block was given back;
  // empty: none. Waits for a call in progress. `listener` must not throw, borrow or give back.
  void tell_when_given_back(std::function<void()> listener);
  // Takes unused blocks out until at most `blocks` remain.
  SurplusBlocks trim(std::int64_t blocks);

  std::size_t block_bytes() const { return block_bytes_; }
  PoolStats stats() const;

 private:
  friend SurplusBlocks;

  const std::size_t block_bytes_;
  std::mutex allocating_;  // guards allocator_; taken before mutex_, never inside it
  const std::unique_ptr<BlockAllocator> allocator_;
  mutable std::mutex mutex_;  // guards everything below
  std::vector<std::byte*> free_;
  std::int64_t blocks_ = 0;
  std::int64_t most_lent_ = 0;

  std::mutex telling_;  // guards listener_; never taken inside another of the pool's locks
  std::function<void()> listener_;
};

}  // namespace qanat
