// The memory of scripted GPUs: blocks, pinned memory, and copies between them.
#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "device/cuda/fake_cuda_parts.h"

namespace qanat {

std::byte* FakeCuda::allocate(int device, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  check(device);
  Gpu& gpu = gpus_.at(static_cast<std::size_t>(device));
  reclaim(device);
  const double limit = static_cast<double>(script_.memory.value) *
                       (script_.forgotten == Forgotten::memory_limits ? 1.0 : gpu.fraction);
  const bool is_scripted = script_.full == device && gpu.allocations >= script_.full_after;
  if (is_scripted || static_cast<double>(gpu.used) + static_cast<double>(bytes) > limit) {
    ++gpu.refusals;
    throw CudaFailure(cuda_code::kOutOfMemory, "out of memory");
  }
  const auto free =
      std::ranges::find_if(gpu.free_blocks.rbegin(), gpu.free_blocks.rend(), [&](std::byte* begin) {
        return blocks_.at(begin)->bytes == bytes;
      });
  Block* block = nullptr;
  if (free != gpu.free_blocks.rend()) {
    block = blocks_.at(*free).get();
    gpu.free_blocks.erase(std::next(free).base());
  } else {
    auto made = std::make_unique<Block>(
        Block{.begin = new std::byte[bytes], .bytes = bytes, .device = device});
    block = made.get();
    blocks_.emplace(block->begin, std::move(made));
  }
  block->is_free = false;
  gpu.used += static_cast<std::int64_t>(bytes);
  gpu.peak = std::max(gpu.peak, gpu.used);
  gpu.high_water = std::max(gpu.high_water, gpu.used);
  ++gpu.allocations;
  ++counts_.live_blocks;
  return block->begin;
}

void FakeCuda::free(std::byte* begin) noexcept {
  const std::lock_guard lock(mutex_);
  Block& block = *blocks_.at(begin);
  block.is_free = true;
  gpus_[static_cast<std::size_t>(block.device)].used -= static_cast<std::int64_t>(block.bytes);
  --counts_.live_blocks;
  for (Stream* const stream : std::exchange(block.used_by, {})) {
    block.used_until.push_back({.stream = stream, .place = stream->num_given});
  }
  if (block.used_until.empty()) {
    give_back(block);
  }
}

void FakeCuda::give_back(Block& block) {
  gpus_[static_cast<std::size_t>(block.device)].free_blocks.push_back(block.begin);
}

// Blocks that were freed while streams used them, once those have come so far.
void FakeCuda::reclaim(int device) {
  for (auto& [begin, block] : blocks_) {
    if (!block->is_free || block->device != device || block->used_until.empty()) {
      continue;
    }
    std::erase_if(block->used_until,
                  [](const Point& point) { return point.stream->num_done >= point.place; });
    if (block->used_until.empty()) {
      give_back(*block);
    }
  }
}

void FakeCuda::use_on(std::byte* begin, CudaStreamHandle handle) {
  const std::lock_guard lock(mutex_);
  auto& stream = of<Stream>(handle);
  check(stream.device);
  if (script_.forgotten != Forgotten::uses_on_streams) {
    blocks_.at(begin)->used_by.insert(&stream);
  }
}

void FakeCuda::set_memory_fraction(int device, double fraction) {
  const std::lock_guard lock(mutex_);
  check(device);
  gpus_.at(static_cast<std::size_t>(device)).fraction = fraction;
}

CudaMemoryUse FakeCuda::memory_use(int device) {
  const std::lock_guard lock(mutex_);
  const Gpu& gpu = gpus_.at(static_cast<std::size_t>(device));
  return {.used = Bytes{gpu.used},
          .reserved = Bytes{gpu.used},
          .peak = Bytes{gpu.peak},
          .high_water = Bytes{gpu.high_water},
          .refusals = gpu.refusals,
          .allocations = gpu.allocations};
}

void FakeCuda::reset_peak(int device) noexcept {
  const std::lock_guard lock(mutex_);
  Gpu& gpu = gpus_[static_cast<std::size_t>(device)];
  gpu.peak = gpu.used;
}

std::byte* FakeCuda::allocate_pinned(int device, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  counts_.contexts.insert(device);
  auto* block = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64}));
  pinned_.emplace(block, bytes);
  ++counts_.pinned_made;
  return block;
}

void FakeCuda::free_pinned(int /*device*/, std::byte* block) noexcept {
  const std::lock_guard lock(mutex_);
  pinned_.erase(block);
  ::operator delete (block, std::align_val_t{64});
}

MemoryPlace FakeCuda::place_of(int device, const void* memory) {
  const std::lock_guard lock(mutex_);
  counts_.contexts.insert(device);
  return find(memory);
}

MemoryPlace FakeCuda::find(const void* memory) const {
  const auto* address = static_cast<const std::byte*>(memory);
  for (const auto& [begin, bytes] : pinned_) {
    if (address >= begin && address < begin + bytes) {
      return {.kind = MemoryKind::pinned};
    }
  }
  for (const auto& [begin, block] : blocks_) {
    if (address >= begin && address < begin + block->bytes) {
      return {.kind = MemoryKind::device, .device = block->device};
    }
  }
  return {.kind = script_.other_memory};
}

bool FakeCuda::reach_peer(int device, int /*peer*/) {
  const std::lock_guard lock(mutex_);
  check(device);
  return script_.peers_reach;
}

void FakeCuda::copy(CudaStreamHandle handle,
                    std::byte* to,
                    const std::byte* from,
                    std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto& stream = of<Stream>(handle);
  check(stream.device);
  const MemoryPlace target = find(to);
  const MemoryPlace source = find(from);
  const bool between = target.kind == MemoryKind::device && source.kind == MemoryKind::device &&
                       target.device != source.device;
  if (between && !script_.peers_reach) {
    throw std::logic_error("a peer copy between GPUs that cannot");
  }
  ++(between ? counts_.peer_copies : counts_.copies);
  enqueue(stream, {.run = [=] { std::memcpy(to, from, bytes); }, .waits_for = {}});
}

}  // namespace qanat
