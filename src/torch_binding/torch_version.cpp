#include "torch_binding/torch_version.h"

#include <ATen/Context.h>
#include <torch/version.h>

namespace qanat {

std::string torch_version() {
  return TORCH_VERSION;
}

bool torch_built_with_cuda() {
  return at::Context::hasCUDART();
}

}  // namespace qanat
