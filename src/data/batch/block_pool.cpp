#include "batch/block_pool.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"

namespace qanat {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

std::size_t page_rounded(std::size_t bytes) {
  return round_up(bytes, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

std::byte* map(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

// Maps more than is needed and returns what does not lie between two huge page boundaries.
std::byte* map_aligned(std::size_t bytes) {
  std::byte* whole = map(bytes + kHugePage);
  if (whole == nullptr) {
    return nullptr;
  }
  const std::size_t before = round_up(reinterpret_cast<std::uintptr_t>(whole), kHugePage) -
                             reinterpret_cast<std::uintptr_t>(whole);
  std::byte* memory = whole + before;
  if (before > 0) {
    ::munmap(whole, before);
  }
  ::munmap(memory + bytes, kHugePage - before);
  return memory;
}

class HostAllocator final : public BlockAllocator {
 public:
  std::byte* allocate(std::size_t bytes) override {
    return map_host_memory(bytes, msg::memory_of_batch{});
  }
  void release(std::byte* block, std::size_t bytes) noexcept override {
    unmap_host_memory(block, bytes);
  }
};

}  // namespace

std::byte* map_host_memory(std::size_t bytes, const MessageArg& purpose) {
  const std::size_t size = page_rounded(bytes);
  const bool huge = size >= kHugePage;
  std::byte* memory = huge ? map_aligned(size) : map(size);
  if (memory == nullptr) {
    throw MessageError(msg::memory_refused{.purpose = purpose,
                                           .bytes = in_bytes(static_cast<double>(bytes)),
                                           .reason = system_reason(errno)});
  }
  if (huge) {
    // Complete huge pages only: a partial one would make unused memory resident. This is advice: a
    // kernel without huge pages may ignore or refuse it.
    (void)::madvise(memory, size / kHugePage * kHugePage, MADV_HUGEPAGE);
  }
  return memory;
}

void unmap_host_memory(std::byte* memory, std::size_t bytes) noexcept {
  ::munmap(memory, page_rounded(bytes));
}

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

void BlockPool::prepare(std::int64_t blocks) {
  const std::lock_guard allocating(allocating_);
  allocator_->prepare(block_bytes_, blocks);
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

SurplusBlocks BlockPool::trim(std::int64_t blocks) {
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
  return {shared_from_this(), std::move(surplus)};
}

SurplusBlocks::SurplusBlocks(std::shared_ptr<BlockPool> pool, std::vector<std::byte*> blocks)
    : pool_(std::move(pool)), blocks_(std::move(blocks)) {}

SurplusBlocks::~SurplusBlocks() {
  if (blocks_.empty()) {
    return;
  }
  const std::lock_guard allocating(pool_->allocating_);
  for (std::byte* block : blocks_) {
    pool_->allocator_->release(block, pool_->block_bytes_);
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
