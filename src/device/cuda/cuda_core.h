// What the parts of one CUDA device share: its runtime, its clock, its counts, and how failures of
// CUDA become errors of the program. Private to the backend.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/device_id.h"
#include "device/cuda/cuda_activity.h"
#include "device/cuda/cuda_clock.h"
#include "device/cuda/cuda_runtime.h"
#include "device/memory_budget.h"

namespace qanat {

// Blocks of device memory that the backend handed out, on all devices of a run, by address: copies
// are told of bytes in the middle of a block. Thread-safe.
class CudaBlocks {
 public:
  struct Block {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    int device = 0;
  };
  void add(const Block& block);
  void remove(std::byte* begin) noexcept;
  std::optional<Block> find(const std::byte* address) const;

 private:
  mutable std::mutex mutex_;  // guards blocks_
  std::map<const std::byte*, Block> blocks_;
};

// The memory of a card as libtorch's allocator counts it; the limit is the allocator's, too.
class CudaBudget : public MemoryBudget {
 public:
  CudaBudget(DeviceId device, Bytes limit, std::shared_ptr<CudaRuntime> runtime)
      : MemoryBudget(device, limit), runtime_(std::move(runtime)) {}

  void reset_peak() noexcept override { runtime_->reset_peak(device().index); }
  // All zero once the device is lost.
  MemoryUse use() const override;

 private:
  const std::shared_ptr<CudaRuntime> runtime_;  // shared with everything else of the device
};

class CudaCore {
 public:
  CudaCore(std::shared_ptr<CudaRuntime> shared_runtime,
           std::shared_ptr<CudaBlocks> shared_blocks,
           DeviceId device,
           std::optional<Bytes> budget);

  // Runs `call` and throws what a failure means for the run.
  void guarded(const std::function<void()>& call, std::optional<Bytes> asked = {}) const;
  std::exception_ptr to_run_error(const CudaFailure& failure,
                                  std::optional<Bytes> asked = {}) const;

  const std::shared_ptr<CudaRuntime> runtime;  // shared with pinned blocks, which may outlive it
  const std::shared_ptr<CudaBlocks> blocks;    // shared by the devices of a run
  const DeviceId id;
  const CudaFacts facts;
  const CudaBudget budget;
  CudaClock clock;
  CudaActivity busy;
  CudaActivity copying;
  std::atomic<std::int64_t> copied_bytes = 0;
  std::atomic<std::int64_t> host_waits = 0;
};

}  // namespace qanat
