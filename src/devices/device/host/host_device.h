// A device made of this machine's cores and memory: the plain `cpu`, or a virtual GPU.
//
// A virtual GPU is an emulation and says so. It has its own share of the cores, streams that run
// asynchronously, a memory budget that is enforced, and a busy clock, so that placement, ordering,
// overlap, isolation and faults are executed by the code that drives real GPUs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/host/host_stream.h"
#include "device/poison.h"

namespace qanat {

struct HostDeviceOptions {
  DeviceId id = {};
  std::vector<int> cores = {};  // its streams run on these only; empty: wherever they like
  int threads = 0;              // that one task may use; 0: one per core
  std::optional<Bytes> memory_limit = {};  // absent: what the machine has
  LinkModel link = {};                     // of copies made by its streams
  // Memory is filled with a signalling pattern before its first use and after it is freed, so
  // that a missing event shows as wrong numbers instead of luck.
  Poison poison = Poison::off;
};

class HostDevice : public Device {
 public:
  explicit HostDevice(HostDeviceOptions options);
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;
  ~HostDevice() override = default;

  DeviceId id() const override { return options_.id; }
  Message description() const override;
  std::unique_ptr<DeviceStream> make_stream(const std::string& name) override;
  // On whatever core is free, as an engine beside the device's own cores would be.
  std::unique_ptr<DeviceStream> make_copy_stream(const std::string& name) override;
  std::unique_ptr<DeviceEvent> make_event() override;
  std::unique_ptr<DeviceMemory> allocate(Bytes bytes) override;
  const MemoryBudget& memory() const override { return *budget_; }
  DeviceStats stats() const override;

  // Shared with memory that may outlive the device.
  std::shared_ptr<MemoryBudget> budget() const { return budget_; }
  int num_threads() const;

  // Runs on each new stream thread after it is bound to the cores: how libtorch is told
  // (torch_binding/torch_binding.h).
  void set_thread_binding(std::function<void()> bind) { bind_ = std::move(bind); }

 private:
  const HostDeviceOptions options_;
  std::shared_ptr<MemoryBudget> budget_;
  HostDeviceClocks clocks_;
  std::function<void()> bind_;
};

}  // namespace qanat
