// A device of libtorch that is the host, but that libtorch takes for another one, with memory of
// its own: every operator is executed by the host's kernels, and what would make the host wait for
// a real GPU is noted. So code that computes on a GPU is executed as it is, without one.
//
// What is noted: copies between the two memories that are not asynchronous, or not from or to
// pinned memory; operators whose result, or its shape, the host reads; tensors of the host among
// those of the device.
//
// For libtorch 1; newer ones have other hooks.
#pragma once

#include <set>
#include <string>

#include <c10/core/Device.h>
#include <torch/version.h>

namespace qanat {

inline constexpr bool kHasWatchedDevice = TORCH_VERSION_MAJOR == 1;

inline c10::Device watched_device() {
  return {c10::DeviceType::XPU, 0};
}

// What was noted since it was made, by any thread. One at a time.
class HostWaitWatch {
 public:
  HostWaitWatch();
  std::set<std::string> seen() const;
};

}  // namespace qanat
