#include "device/cuda/cuda_failure.h"

#include <fmt/format.h>

#include "device/device_lost.h"
#include "device/out_of_memory.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"

namespace qanat {
namespace {

// 12040 as users know it: 12.4.
std::string version_name(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

CudaFault fault_of(int code, const CudaVersions& versions) {
  switch (code) {
    case cuda_code::kOutOfMemory:
      return CudaFault::out_of_memory;
    case cuda_code::kInsufficientDriver:
    case cuda_code::kNeedsNewerDriver:
      return versions.driver == 0 ? CudaFault::no_driver : CudaFault::driver_too_old;
    case cuda_code::kStubLibrary:
    case cuda_code::kDriverMismatch:
    case cuda_code::kNotForThisDevice:
    case cuda_code::kInitialisation:
      return CudaFault::wrong_driver;
    case cuda_code::kNoDevice:
      return CudaFault::no_device;
    case cuda_code::kNoKernelImage:
      return CudaFault::no_kernels;
    case cuda_code::kDevicesUnavailable:
    case cuda_code::kMemoryError:
    case cuda_code::kLinkError:
    case cuda_code::kContained:
    case cuda_code::kUnknown:
      return CudaFault::device_lost;
    default:
      break;
  }
  if (code >= cuda_code::kIllegalAddress && code <= cuda_code::kLaunchFailure) {
    return CudaFault::work_failed;
  }
  return code >= cuda_code::kCaptureUnsupported && code <= cuda_code::kCaptureLast
             ? CudaFault::not_capturable
             : CudaFault::other;
}

Message explain_no_cuda(const CudaFailure& failure, const CudaVersions& versions) {
  switch (fault_of(failure.code(), versions)) {
    case CudaFault::no_driver:
      return msg::no_cuda_driver{};
    case CudaFault::no_device:
      return msg::no_cuda_device{};
    case CudaFault::driver_too_old:
      return msg::no_cuda_old_driver{.driver = version_name(versions.driver),
                                     .runtime = version_name(versions.runtime)};
    case CudaFault::wrong_driver:
      return msg::no_cuda_wrong_driver{.why = failure.what()};
    default:
      return msg::no_cuda_start{.why = failure.what(), .code = failure.code()};
  }
}

std::exception_ptr to_error(const CudaFailure& failure,
                            DeviceId device,
                            const CudaMemoryState& memory) {
  // In the middle of a run there was a driver and a device: what CUDA misses now, it has lost.
  switch (fault_of(failure.code(), {.driver = 1, .runtime = 1})) {
    case CudaFault::out_of_memory:
      return std::make_exception_ptr(OutOfMemory(device, memory.asked, memory.used, memory.limit));
    case CudaFault::device_lost:
    case CudaFault::no_device:
      return std::make_exception_ptr(
          DeviceLost(device, fmt::format("{} (CUDA code {})", failure.what(), failure.code())));
    case CudaFault::no_kernels:
      return std::make_exception_ptr(MessageError(
          msg::cuda_no_kernels{.device = to_string(device), .reason = failure.what()}));
    case CudaFault::work_failed:
      return std::make_exception_ptr(MessageError(msg::cuda_work_failed{
          .device = to_string(device), .reason = failure.what(), .code = failure.code()}));
    default:
      return std::make_exception_ptr(MessageError(msg::cuda_failed{
          .device = to_string(device), .reason = failure.what(), .code = failure.code()}));
  }
}

}  // namespace qanat
