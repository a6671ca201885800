#include "device/cuda/cuda_core.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace qanat {
namespace {

CudaFacts read_facts(CudaRuntime& runtime, DeviceId device) {
  try {
    return runtime.facts(device.index);
  } catch (const CudaFailure& failure) {
    std::rethrow_exception(to_error(failure, device, {}));
  }
}

}  // namespace

void CudaBlocks::add(const Block& block) {
  const std::lock_guard lock(mutex_);
  blocks_[block.begin] = block;
}

void CudaBlocks::remove(std::byte* begin) noexcept {
  const std::lock_guard lock(mutex_);
  blocks_.erase(begin);
}

std::optional<CudaBlocks::Block> CudaBlocks::find(const std::byte* address) const {
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) {
    return std::nullopt;
  }
  const Block& block = std::prev(after)->second;
  return address < block.begin + block.bytes ? std::optional(block) : std::nullopt;
}

MemoryUse CudaBudget::use() const {
  CudaMemoryUse use;
  try {
    use = runtime_->memory_use(device().index);
  } catch (const CudaFailure&) {
    // For reports only; work on the device reports the loss.
  }
  return {.limit = limit(),
          .used = use.used,
          .peak = use.peak,
          .high_water = use.high_water,
          .refusals = use.refusals,
          .allocations = use.allocations};
}

CudaCore::CudaCore(std::shared_ptr<CudaRuntime> shared_runtime,
                   std::shared_ptr<CudaBlocks> shared_blocks,
                   DeviceId device,
                   std::optional<Bytes> limit)
    : runtime(std::move(shared_runtime)),
      blocks(std::move(shared_blocks)),
      id(device),
      facts(read_facts(*runtime, device)),
      budget(device, std::min(limit.value_or(facts.memory), facts.memory), runtime),
      clock(*runtime, device.index),
      busy(*runtime, clock),
      copying(*runtime, clock) {
  if (limit && *limit < facts.memory) {
    guarded([&] {
      runtime->set_memory_fraction(
          id.index, static_cast<double>(limit->value) / static_cast<double>(facts.memory.value));
    });
  }
}

std::exception_ptr CudaCore::to_run_error(const CudaFailure& failure,
                                          std::optional<Bytes> asked) const {
  const MemoryUse use = budget.use();
  return to_error(
      failure, id, {.asked = asked, .used = use.used, .limit = use.limit.value_or(facts.memory)});
}

void CudaCore::guarded(const std::function<void()>& call, std::optional<Bytes> asked) const {
  try {
    call();
  } catch (const CudaFailure& failure) {
    std::rethrow_exception(to_run_error(failure, asked));
  }
}

}  // namespace qanat
