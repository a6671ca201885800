// The bytes a device may use, and does: every allocation is charged before it is made.
//
// Thread-safe. Shared (shared_ptr) by a device and by all that was allocated on it, because
// memory may outlive the object that stands for the device.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/device_id.h"
#include "base/quantity.h"

namespace qanat {

struct MemoryUse {
  std::optional<Bytes> limit;
  Bytes used;
  Bytes peak;                 // since the last reset_peak()
  Bytes high_water;           // ever
  std::int64_t refusals = 0;  // charges that would have passed the limit
  std::int64_t allocations = 0;
};

class MemoryBudget {
 public:
  MemoryBudget(DeviceId device, std::optional<Bytes> limit) : device_(device), limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;
  virtual ~MemoryBudget() = default;

  // Throws OutOfMemory, charging nothing, when the limit would be passed.
  void charge(Bytes bytes);
  void release(Bytes bytes) noexcept;
  // Virtual because CUDA counts for itself: only libtorch's allocator knows.
  virtual void reset_peak() noexcept;
  virtual MemoryUse use() const;
  DeviceId device() const { return device_; }
  std::optional<Bytes> limit() const { return limit_; }

 private:
  const DeviceId device_;
  const std::optional<Bytes> limit_;
  std::atomic<std::int64_t> used_ = 0;
  std::atomic<std::int64_t> peak_ = 0;
  std::atomic<std::int64_t> high_water_ = 0;
  std::atomic<std::int64_t> refusals_ = 0;
  std::atomic<std::int64_t> allocations_ = 0;
};

}  // namespace qanat
