#include "pipeline/item_arena.h"

#include <algorithm>

#include "batch/block_pool.h"
#include "locale/messages/feature_errors.h"

namespace qanat {
namespace {

constexpr std::size_t kChunk = std::size_t{16} << 20;  // large: what an item does not fill is lost
constexpr std::size_t kAlignment = 64;

}  // namespace

ItemArena::ItemArena(std::size_t num_items, Bytes budget)
    : budget_(budget), kept_(std::make_unique<std::atomic<const std::byte*>[]>(num_items)) {}

ItemArena::~ItemArena() {
  for (const Chunk& chunk : chunks_) {
    unmap_host_memory(chunk.memory, chunk.size);
  }
}

std::byte* ItemArena::reserve(std::size_t bytes) {
  const std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::lock_guard lock(mutex_);
  const bool fits = !chunks_.empty() && chunks_.back().used + size <= chunks_.back().size;
  if (!fits && !add_chunk(size)) {
    return nullptr;
  }
  Chunk& chunk = chunks_.back();
  std::byte* memory = chunk.memory + chunk.used;
  chunk.used += size;
  return memory;
}

bool ItemArena::add_chunk(std::size_t least) {
  const std::size_t left = static_cast<std::size_t>(budget_.value) - allocated_;
  const std::size_t size = std::min(std::max(kChunk, least), left);
  if (size < least) {
    return false;
  }
  chunks_.push_back({.memory = map_host_memory(size, msg::memory_of_cache{}), .size = size});
  allocated_ += size;
  return true;
}

void ItemArena::keep(std::uint32_t item, const std::byte* memory) {
  const std::byte* none = nullptr;
  // release: the bytes behind the pointer come first
  kept_[item].compare_exchange_strong(none, memory, std::memory_order_release);
}

Bytes ItemArena::bytes() const {
  const std::lock_guard lock(mutex_);
  return Bytes{static_cast<std::int64_t>(allocated_)};
}

}  // namespace qanat
