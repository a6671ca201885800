#include "cuda_runtime/open_cuda_runtime.h"

#include <cstdlib>

#include <dlfcn.h>

#include "base/error.h"

namespace qanat {
namespace {

// The library is never unloaded: exceptions of its types may outlive the runtime.
std::shared_ptr<CudaRuntime> load_runtime(const char* path) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(
        "QANAT_CUDA_RUNTIME: {}; expected a library with {}()", ::dlerror(), kMakeCudaRuntime);
  }
  const auto make = reinterpret_cast<MakeCudaRuntime>(::dlsym(library, kMakeCudaRuntime));
  if (make == nullptr) {
    throw Error("QANAT_CUDA_RUNTIME={}: it has no {}()", path, kMakeCudaRuntime);
  }
  return std::shared_ptr<CudaRuntime>(make());
}

}  // namespace

Result<std::shared_ptr<CudaRuntime>> open_cuda_runtime() {
  if (const char* const path =
          std::getenv("QANAT_CUDA_RUNTIME")) {  // NOLINT(concurrency-mt-unsafe)
    return load_runtime(path);
  }
  std::shared_ptr<CudaRuntime> built_in = make_built_in_cuda_runtime();
  if (built_in == nullptr) {
    return Failure{"this program was built without CUDA"};
  }
  return built_in;
}

}  // namespace qanat
