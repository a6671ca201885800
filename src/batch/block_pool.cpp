#include "batch/block_pool.h"

#include <algorithm>
#include <utility>

#include "batch/host_memory.h"

namespace qanat {
namespace {

class HostAllocator final : public BlockAllocator {
 public:
  std::byte* allocate(std::size_t bytes) override { return map_host_memory(bytes, "a batch"); }
  void release(std::byte* block, std::size_t bytes) noexcept override {
    unmap_host_memory(block, bytes);
  }
};

}  // namespace

std::unique_ptr<BlockAllocator> make_host_allocator() {
  return std::make_unique<HostAllocator>();
}

BlockPool::BlockPool(std::size_t block_bytes, std::unique_ptr<BlockAllocator> allocator)
    : block_bytes_(block_bytes), allocator_(std::move(allocator)) {}

BlockPool::~BlockPool() {
  // Every batch that is out keeps the pool alive, so all blocks are back.
  for (std::byte* block : free_) {
    allocator_->release(block, block_bytes_);
  }
}

std::byte* BlockPool::borrow() {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::byte* block = free_.back();
        free_.pop_back();
        most_lent_ = std::max(most_lent_, blocks_ - static_cast<std::int64_t>(free_.size()));
        return block;
      }
    }
    add_block();  // another thread may be quicker to borrow it
  }
}

void BlockPool::add_block() {
  const std::lock_guard allocating(allocating_);
  std::byte* fresh = allocator_->allocate(block_bytes_);
  const std::lock_guard lock(mutex_);
  try {
    free_.reserve(static_cast<std::size_t>(blocks_) + 1);  // so that give_back() cannot throw
  } catch (...) {
    allocator_->release(fresh, block_bytes_);
    throw;
  }
  ++blocks_;
  free_.push_back(fresh);
}

void BlockPool::give_back(std::byte* block) noexcept {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(block);
  }
  const std::lock_guard telling(telling_);
  if (listener_) {
    listener_();
  }
}

void BlockPool::tell_when_given_back(std::function<void()> listener) {
  const std::lock_guard telling(telling_);
  listener_ = std::move(listener);
}

void BlockPool::trim(std::int64_t blocks) {
  const std::lock_guard allocating(allocating_);
  std::vector<std::byte*> surplus;
  {
    const std::lock_guard lock(mutex_);
    const auto count =
        std::clamp<std::int64_t>(blocks_ - blocks, 0, static_cast<std::int64_t>(free_.size()));
    const auto end = free_.begin() + count;
    surplus.assign(free_.begin(), end);  // those unused for longest
    free_.erase(free_.begin(), end);
    blocks_ -= count;
  }
  for (std::byte* block : surplus) {
    allocator_->release(block, block_bytes_);
  }
}

PoolStats BlockPool::stats() const {
  const std::lock_guard lock(mutex_);
  return {.block_bytes = Bytes{static_cast<std::int64_t>(block_bytes_)},
          .blocks = blocks_,
          .lent = blocks_ - static_cast<std::int64_t>(free_.size()),
          .most_lent = most_lent_};
}

}  // namespace qanat
