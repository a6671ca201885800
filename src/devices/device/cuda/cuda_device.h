// A real GPU as a Device. Its logic is here, written against CudaRuntime, so that tests run it
// without a GPU; what only passes calls on to CUDA is in torch_cuda_runtime.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/cuda/cuda_core.h"
#include "device/device.h"

namespace qanat {

struct CudaDeviceOptions {
  DeviceId id;                             // index as CUDA counts
  std::optional<Bytes> memory_limit = {};  // absent: the whole card
  std::shared_ptr<CudaRuntime> runtime;    // shared by the devices of a process
  std::shared_ptr<CudaBlocks> blocks;      // the same for devices that copy to each other
};

class CudaDevice : public Device {
 public:
  // Throws Error when the device does not answer.
  explicit CudaDevice(const CudaDeviceOptions& options);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice() override = default;

  DeviceId id() const override { return core_->id; }
  Message description() const override;
  bool is_discrete() const override { return true; }
  std::unique_ptr<DeviceStream> make_stream(const std::string& name) override;
  std::unique_ptr<DeviceEvent> make_event() override;
  std::unique_ptr<DeviceMemory> allocate(Bytes bytes) override;
  bool reaches(const Device& other) const override;
  std::unique_ptr<BlockAllocator> pinned_blocks() override;
  const MemoryBudget& memory() const override { return core_->budget; }
  DeviceStats stats() const override;

  const CudaFacts& facts() const { return core_->facts; }

 private:
  std::unique_ptr<CudaCore> core_;  // never moves: streams and events refer to it
};

}  // namespace qanat
