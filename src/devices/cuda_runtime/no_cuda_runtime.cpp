// In place of torch_cuda_runtime.cpp where the program is built without QANAT_CUDA.
#include "cuda_runtime/open_cuda_runtime.h"

namespace qanat {

std::shared_ptr<CudaRuntime> make_built_in_cuda_runtime() {
  return nullptr;
}

}  // namespace qanat
