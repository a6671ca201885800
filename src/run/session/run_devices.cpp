#include "session/run_devices.h"

#include <algorithm>

#include <sched.h>

#include "cuda_runtime/open_cuda_runtime.h"
#include "device/cuda/cuda_device.h"
#include "device/host/host_device.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"
#include "torch_binding/torch_binding.h"

namespace qanat {
namespace {

// One core in so many is what a data device gets beside a model, and a loader may use beside one.
constexpr std::size_t kSideShare = 4;

std::unique_ptr<Device> make_device(HostDeviceOptions options) {
  auto device = std::make_unique<HostDevice>(std::move(options));
  bind_torch(*device);
  return device;
}

RunDevices make_cuda_devices(const DevicePlan& plan) {
  const Result<std::shared_ptr<CudaRuntime>> runtime = open_cuda_runtime();
  if (!runtime) {
    throw MessageError(msg::device_no_cuda{.device = to_string(plan.model),
                                           .reason = reason_of(runtime.failure())});
  }
  const auto blocks = std::make_shared<CudaBlocks>();
  RunDevices devices;
  devices.model = std::make_unique<CudaDevice>(CudaDeviceOptions{.id = plan.model,
                                                                 .memory_limit = plan.model_budget,
                                                                 .runtime = runtime.value(),
                                                                 .blocks = blocks});
  if (plan.data) {
    devices.data = std::make_unique<CudaDevice>(CudaDeviceOptions{.id = *plan.data,
                                                                  .memory_limit = plan.data_budget,
                                                                  .runtime = runtime.value(),
                                                                  .blocks = blocks});
  }
  return devices;
}

}  // namespace

CoreShares share_cores(const DevicePlan& plan, std::span<const int> cores) {
  const auto count = std::max<std::size_t>(1, cores.size());
  const auto side = std::max<std::size_t>(1, count / kSideShare);
  CoreShares shares;
  shares.loader_threads = static_cast<int>(side);
  if (plan.model.kind == DeviceKind::cuda) {
    shares.loader_threads = static_cast<int>(std::max<std::size_t>(1, count - 1));
    return shares;
  }
  if (plan.mode == RunMode::single_buffered || cores.size() < 2) {
    shares.model_threads = static_cast<int>(count);
    return shares;
  }
  const auto middle = cores.end() - static_cast<std::ptrdiff_t>(side);
  shares.model.assign(cores.begin(), middle);
  shares.data.assign(middle, cores.end());
  shares.model_threads = static_cast<int>(shares.model.size());
  shares.data_threads = static_cast<int>(shares.data.size());
  return shares;
}

std::vector<int> usable_cores(const HostFacts& host) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(static_cast<std::size_t>(core), &set)) {
        cores.push_back(core);
      }
    }
  }
  const auto allowed = static_cast<std::size_t>(allowed_cores(host));
  if (cores.size() > allowed) {
    cores.resize(allowed);
  }
  return cores;
}

std::vector<int> cores_of_process(std::span<const int> cores, int index, int count) {
  const auto size = static_cast<int>(cores.size());
  if (size == 0) {
    return {};
  }
  const int first = count <= size ? index * size / count : index % size;
  const int last = count <= size ? (index + 1) * size / count : first + 1;
  return {cores.begin() + first, cores.begin() + last};
}

Hardware find_hardware(const RunConfig& config) {
  Hardware hardware{.virtual_gpus = config.pipeline.virtual_gpus};
  if (hardware.virtual_gpus > 0) {
    return hardware;
  }
  const Result<std::shared_ptr<CudaRuntime>> runtime = open_cuda_runtime();
  if (!runtime) {
    return hardware;
  }
  try {
    hardware.cuda_gpus = runtime.value()->device_count();
  } catch (const CudaFailure& failure) {
    const CudaVersions versions = runtime.value()->versions();
    const CudaFault fault = fault_of(failure.code(), versions);
    hardware.no_cuda = explain_no_cuda(failure, versions);
    hardware.cuda_broken = fault != CudaFault::no_driver && fault != CudaFault::no_device;
  }
  return hardware;
}

int model_device_cores(const RunConfig& config) {
  const DevicePlan plan = plan_devices(config, find_hardware(config));
  return share_cores(plan, usable_cores(read_host_facts())).model_threads;
}

std::optional<Bytes> memory_limit(const RunConfig& config,
                                  const HostFacts& host,
                                  DeviceId device,
                                  const std::optional<Bytes>& budget) {
  std::optional<Bytes> whole;
  if (device.kind == DeviceKind::virtual_gpu) {
    if (config.pipeline.virtual_gpu_memory) {
      whole = config.pipeline.virtual_gpu_memory->bytes();
    } else if (const std::optional<Bytes> ceiling = memory_ceiling(host)) {
      whole = Bytes{ceiling->value / std::max(1, config.pipeline.virtual_gpus)};
    }
  }
  if (!whole || !budget) {
    return whole ? whole : budget;
  }
  return std::min(*whole, *budget);
}

RunDevices make_devices(const RunConfig& config, const DevicePlan& plan, const HostFacts& host) {
  RunDevices devices;
  if (plan.model.kind == DeviceKind::cuda) {
    devices = make_cuda_devices(plan);
    devices.cores = share_cores(plan, usable_cores(host));
    return devices;
  }
  devices.cores = share_cores(plan, usable_cores(host));
  devices.model =
      make_device({.id = plan.model,
                   .cores = devices.cores.model,
                   .threads = devices.cores.model_threads,
                   .memory_limit = memory_limit(config, host, plan.model, plan.model_budget)});
  if (plan.data) {
    devices.data =
        make_device({.id = *plan.data,
                     .cores = devices.cores.data,
                     .threads = devices.cores.data_threads,
                     .memory_limit = memory_limit(config, host, *plan.data, plan.data_budget)});
  }
  return devices;
}

}  // namespace qanat
