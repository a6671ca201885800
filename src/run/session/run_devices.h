// The devices of a plan, made: cores shared out, budgets set, libtorch bound to them.
//
// A run makes them once, before anything else, and destroys them last: streams, events and memory
// of a device may not outlive it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/device_plan.h"
#include "device/device.h"
#include "monitor/host_facts.h"

namespace qanat {

// Which cores work for whom. Empty lists: not bound, the kernel decides.
struct CoreShares {
  std::vector<int> model;
  std::vector<int> data;  // Multi-GPU only; the loader stays on the others
  int model_threads = 1;
  int data_threads = 1;
  int loader_threads = 1;  // the most workers a loader may have

  bool operator==(const CoreShares&) const = default;
};

// The model's share is the larger one, and nobody's is empty. With one device it may use every
// core: the few the loader needs at a time it takes by being scheduled. On CUDA the model needs
// one core, to launch from.
CoreShares share_cores(const DevicePlan& plan, std::span<const int> cores);

// The cores this process may use: as many as its affinity and quota allow.
std::vector<int> usable_cores(const HostFacts& host);

// The cores of one of `count` processes that may all use the same ones: a run of its own, as far as
// there are enough.
std::vector<int> cores_of_process(std::span<const int> cores, int index, int count);

struct RunDevices {
  std::unique_ptr<Device> model;
  std::unique_ptr<Device> data;  // Multi-GPU only
  CoreShares cores;
};

// On how many cores the model device of this configuration computes; 1 for a GPU.
int model_device_cores(const RunConfig& config);

// What there is to run on, as far as this build can drive it.
Hardware find_hardware(const RunConfig& config);

// The memory a device of the plan may use: its budget, or the whole of a virtual GPU.
std::optional<Bytes> memory_limit(const RunConfig& config,
                                  const HostFacts& host,
                                  DeviceId device,
                                  const std::optional<Bytes>& budget);

// Throws Error for a device this build cannot drive.
RunDevices make_devices(const RunConfig& config, const DevicePlan& plan, const HostFacts& host);

}  // namespace qanat
