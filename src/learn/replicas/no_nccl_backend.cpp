// In place of nccl_backend.cpp where the program is built without CUDA, or libtorch without NCCL.
#include "replicas/backend.h"

namespace qanat {

bool has_nccl() {
  return false;
}

std::unique_ptr<Backend> make_nccl(const BackendOptions& /*options*/) {
  return nullptr;
}

}  // namespace qanat
