// The CUDA of this program: the real one when it was built with QANAT_CUDA, else none.
#pragma once

#include <memory>

#include "base/result.h"
#include "device/cuda/cuda_runtime.h"

namespace qanat {

// Without one: why. A variable of the environment, QANAT_CUDA_RUNTIME, names a library to take
// instead, as QANAT_NVML does for the monitor: tests put a scripted one there.
Result<std::shared_ptr<CudaRuntime>> open_cuda_runtime();

// What such a library exports: makes a runtime, which the caller deletes.
inline constexpr const char* kMakeCudaRuntime = "qanat_make_cuda_runtime";
using MakeCudaRuntime = CudaRuntime* (*)();

// Chosen by the build; null without QANAT_CUDA.
std::shared_ptr<CudaRuntime> make_built_in_cuda_runtime();

}  // namespace qanat
