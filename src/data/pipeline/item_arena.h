// A cache that keeps every item it is given until its budget is used up, and never evicts.
//
// Epochs visit every item once in a new order; under that pattern eviction only costs time (an LRU
// cache smaller than the set never hits). Keeping the first items gives every later epoch the same
// hit rate. Thread-safe; what find() returns lives as long as the arena.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/quantity.h"

namespace qanat {

class ItemArena {
 public:
  ItemArena(std::size_t num_items, Bytes budget);
  ItemArena(const ItemArena&) = delete;
  ItemArena& operator=(const ItemArena&) = delete;
  ~ItemArena();

  // What is kept for the item; null when nothing is.
  const std::byte* find(std::uint32_t item) const {
    return kept_[item].load(std::memory_order_acquire);  // pairs with keep()
  }

  // Room for `bytes`, aligned to 64, to be written and then given to keep(). Null when the budget
  // is used up.
  std::byte* reserve(std::size_t bytes);
  // From now on find(item) returns `memory`, unless somebody else was faster.
  void keep(std::uint32_t item, const std::byte* memory);

  Bytes budget() const { return budget_; }
  Bytes bytes() const;  // taken from the kernel

 private:
  struct Chunk {
    std::byte* memory = nullptr;
    std::size_t size = 0;
    std::size_t used = 0;
  };

  bool add_chunk(std::size_t least);

  const Bytes budget_;
  const std::unique_ptr<std::atomic<const std::byte*>[]> kept_;
  mutable std::mutex mutex_;  // guards everything below
  std::vector<Chunk> chunks_;
  std::size_t allocated_ = 0;
};

}  // namespace qanat
