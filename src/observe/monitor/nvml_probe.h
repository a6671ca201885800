// Reads the NVIDIA GPUs of this machine through NVML, on a separate thread, so that a lost GPU
// cannot hang the caller.
//
//   NvmlProbe probe({});
//   if (const Reading<GpuSetup>& setup = probe.setup()) { ... probe.sample() ... }
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "monitor/bounded_caller.h"
#include "monitor/gpu_sample.h"

namespace qanat {

struct NvmlOptions {
  std::string library{};             // empty: QANAT_NVML of the environment, else the usual names
  std::filesystem::path root = "/";  // where /sys is looked for
  Seconds timeout{3};                // of one query
};

// Not thread-safe. The destructor does not wait for a driver that hangs.
class NvmlProbe {
 public:
  explicit NvmlProbe(const NvmlOptions& options);
  NvmlProbe(const NvmlProbe&) = delete;
  NvmlProbe& operator=(const NvmlProbe&) = delete;
  ~NvmlProbe();

  // Devices are identified by bus id and UUID; the order is NVML's, which is the order of the bus.
  // Without a value: why there is nothing (no library, no driver, another version, no answer).
  const Reading<GpuSetup>& setup() const { return setup_; }
  // One for each GPU of the setup.
  Reading<std::vector<GpuSample>> sample();

 private:
  class Session;

  const Seconds timeout_;
  std::shared_ptr<Session> session_;  // shared with a call that may never return
  Reading<GpuSetup> setup_;
  BoundedCaller caller_;
};

}  // namespace qanat
