// What CUDA answers when it does not do what it was asked, and what that means for a run.
//
// A CudaRuntime throws CudaFailure with CUDA's own code; the backend turns it into the errors that
// the rest of the program knows (OutOfMemory, DeviceLost, Error), and nothing else sees it.
#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/device_id.h"
#include "base/message.h"
#include "base/quantity.h"

namespace qanat {

// Codes of the CUDA runtime that mean something of their own here. The real runtime checks them
// against CUDA's header when it is compiled.
namespace cuda_code {
inline constexpr int kOutOfMemory = 2;
inline constexpr int kInitialisation = 3;
inline constexpr int kStubLibrary = 34;
inline constexpr int kInsufficientDriver = 35;
inline constexpr int kNeedsNewerDriver = 36;
inline constexpr int kDevicesUnavailable = 46;
inline constexpr int kNoDevice = 100;
inline constexpr int kNoKernelImage = 209;
inline constexpr int kMemoryError = 214;
inline constexpr int kLinkError = 220;
inline constexpr int kContained = 226;
inline constexpr int kIllegalAddress = 700;
inline constexpr int kLaunchFailure = 719;
inline constexpr int kDriverMismatch = 803;
inline constexpr int kNotForThisDevice = 804;
inline constexpr int kCaptureUnsupported = 900;
inline constexpr int kCaptureLast = 908;
inline constexpr int kUnknown = 999;
}  // namespace cuda_code

enum class CudaFault {
  no_driver,
  no_device,
  driver_too_old,
  wrong_driver,  // library and kernel module do not match, or it is not a driver
  no_kernels,    // libtorch has nothing compiled for this GPU
  out_of_memory,
  device_lost,
  work_failed,  // a kernel made an illegal access; the process cannot use the device any more
  not_capturable,
  other,
};

class CudaFailure : public std::runtime_error {
 public:
  CudaFailure(int code, const std::string& words) : std::runtime_error(words), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

struct CudaVersions {
  int driver = 0;   // the newest CUDA it supports: 12040 is 12.4; 0 is CUDA's code for "no driver"
  int runtime = 0;  // that this program was built with
};

// `versions` distinguish two cases with the same CUDA code: no driver, and one that is too old.
CudaFault fault_of(int code, const CudaVersions& versions);

// Why CUDA cannot be used on this machine, and what to do about it: `what; expected; try`.
Message explain_no_cuda(const CudaFailure& failure, const CudaVersions& versions);

// What the memory of a device looked like when something did not fit.
struct CudaMemoryState {
  std::optional<Bytes> asked;  // absent: libtorch asked, and does not say for how much
  Bytes used;
  Bytes limit;
};

// The error of the program for a failure in the middle of a run.
std::exception_ptr to_error(const CudaFailure& failure,
                            DeviceId device,
                            const CudaMemoryState& memory);

}  // namespace qanat
