#include "device/cuda/cuda_device.h"

#include <map>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "device/cuda/cuda_event.h"
#include "device/cuda/cuda_stream.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"

namespace qanat {
namespace {

class CudaMemory : public DeviceMemory {
 public:
  CudaMemory(CudaCore& core, Bytes bytes)
      : core_(core), size_(static_cast<std::size_t>(bytes.value)) {
    core_.guarded([&] { begin_ = core_.runtime->allocate(core_.id.index, size_); }, bytes);
    core_.blocks->add({.begin = begin_, .bytes = size_, .device = core_.id.index});
  }
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  ~CudaMemory() override {
    core_.blocks->remove(begin_);
    core_.runtime->free(begin_);
  }

  std::span<std::byte> bytes() override { return {begin_, size_}; }

 private:
  CudaCore& core_;
  const std::size_t size_;
  std::byte* begin_ = nullptr;
};

// Making and freeing pinned memory waits until the device has nothing to do, so what is given back
// is kept for the next who asks for that size.
class CudaPinnedBlocks : public BlockAllocator {
 public:
  CudaPinnedBlocks(std::shared_ptr<CudaRuntime> runtime, int device)
      : runtime_(std::move(runtime)), device_(device) {}
  CudaPinnedBlocks(const CudaPinnedBlocks&) = delete;
  CudaPinnedBlocks& operator=(const CudaPinnedBlocks&) = delete;
  ~CudaPinnedBlocks() override {
    for (const auto& [bytes, block] : free_) {
      runtime_->free_pinned(device_, block);
    }
  }

  std::byte* allocate(std::size_t bytes) override {
    if (const auto kept = free_.extract(bytes)) {
      return kept.mapped();
    }
    try {
      return runtime_->allocate_pinned(device_, bytes);
    } catch (const CudaFailure& failure) {
      throw MessageError(
          msg::cuda_no_pinned{.bytes = std::to_string(bytes), .reason = failure.what()});
    }
  }
  void release(std::byte* block, std::size_t bytes) noexcept override {
    try {
      free_.emplace(bytes, block);
    } catch (const std::bad_alloc&) {
      runtime_->free_pinned(device_, block);
    }
  }
  void prepare(std::size_t bytes, std::int64_t blocks) override {
    try {
      while (static_cast<std::int64_t>(free_.count(bytes)) < blocks) {
        free_.emplace(bytes, runtime_->allocate_pinned(device_, bytes));
      }
    } catch (const CudaFailure&) {
      // Fewer may do: allocate() says what is missing.
    }
  }

 private:
  const std::shared_ptr<CudaRuntime> runtime_;  // shared: batches may outlive the device
  const int device_;
  std::multimap<std::size_t, std::byte*> free_;  // by their size
};

std::unique_ptr<CudaCore> make_core(const CudaDeviceOptions& options) {
  try {
    return std::make_unique<CudaCore>(
        options.runtime, options.blocks, options.id, options.memory_limit);
  } catch (const CudaFailure& failure) {
    std::rethrow_exception(to_error(failure, options.id, {}));
  }
}

}  // namespace

CudaDevice::CudaDevice(const CudaDeviceOptions& options) : core_(make_core(options)) {}

Message CudaDevice::description() const {
  const auto megabytes = [](Bytes bytes) {
    return plain(static_cast<double>(bytes.value >> 20), 0);
  };
  const auto& facts = core_->facts;
  const Bytes limit = core_->budget.limit().value();
  if (limit < facts.memory) {
    return msg::device_cuda_limited{.name = facts.name,
                                    .megabytes = megabytes(facts.memory),
                                    .limit = megabytes(limit),
                                    .bus = facts.bus_id};
  }
  return msg::device_cuda{
      .name = facts.name, .megabytes = megabytes(facts.memory), .bus = facts.bus_id};
}

std::unique_ptr<DeviceStream> CudaDevice::make_stream(const std::string& name) {
  return std::make_unique<CudaStream>(fmt::format("{}/{}", name, core_->id.index), *core_);
}

std::unique_ptr<DeviceEvent> CudaDevice::make_event() {
  return std::make_unique<CudaEvent>(*core_);
}

std::unique_ptr<DeviceMemory> CudaDevice::allocate(Bytes bytes) {
  return std::make_unique<CudaMemory>(*core_, bytes);
}

std::unique_ptr<BlockAllocator> CudaDevice::pinned_blocks() {
  return std::make_unique<CudaPinnedBlocks>(core_->runtime, core_->id.index);
}

bool CudaDevice::reaches(const Device& other) const {
  bool reached = true;
  if (other.id().index != core_->id.index) {
    core_->guarded(
        [&] { reached = core_->runtime->reach_peer(core_->id.index, other.id().index); });
  }
  return reached;
}

DeviceStats CudaDevice::stats() const {
  return {.busy = core_->busy.total(),
          .copying = core_->copying.total(),
          .copied = Bytes{core_->copied_bytes.load()},
          .host_waits = core_->host_waits.load()};
}

}  // namespace qanat
