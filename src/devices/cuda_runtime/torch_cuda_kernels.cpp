// The kernels of alignment.cu on real GPUs: compiled by NVRTC, loaded and launched by CUDA's
// driver, whose library every machine with a GPU has. Only with QANAT_CUDA.
#include <array>
#include <map>
#include <mutex>

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"
#include "cuda_runtime/alignment_kernels.h"
#include "cuda_runtime/nvrtc.h"
#include "locale/message_error.h"
#include "locale/messages/speech_errors.h"

namespace qanat {
namespace {

// The five calls of the driver that are needed.
class Driver {
 public:
  struct Module;
  struct Function;

  Driver() : library_(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) {
      throw Error("kernels: {}; expected the driver of an NVIDIA GPU", ::dlerror());
    }
    find("cuModuleLoadData", load_);
    find("cuModuleGetFunction", function_);
    find("cuLaunchKernel", launch_);
    find("cuGetErrorString", describe_);
  }
  // Never unloaded: kernels may still run.

  // Machine code or PTX.
  Module* load(const std::string& compiled) const {
    Module* module = nullptr;
    check("loading kernels", load_(&module, compiled.c_str()));
    return module;
  }
  Function* function(Module* module, const char* name) const {
    Function* function = nullptr;
    check(name, function_(&function, module, name));
    return function;
  }
  template <typename Arguments>
  void launch(Function* function, Arguments arguments, const AlignmentKernels::Grid& grid) const {
    std::array<void*, 1> pointers = {&arguments};
    check("launching a kernel",
          launch_(function,
                  static_cast<unsigned>(grid.rows),
                  1,
                  1,
                  static_cast<unsigned>(grid.threads),
                  1,
                  1,
                  0,
                  c10::cuda::getCurrentCUDAStream().stream(),
                  pointers.data(),
                  nullptr));
  }

 private:
  template <typename Call>
  void find(const char* name, Call& call) {
    call = reinterpret_cast<Call>(::dlsym(library_, name));
    if (call == nullptr) {
      throw Error("kernels: the driver's library has no {}()", name);
    }
  }
  void check(const char* what, int code) const {
    if (code != 0) {
      const char* why = nullptr;
      describe_(code, &why);
      throw Error("kernels: {}: {} ({})", what, why == nullptr ? "failed" : why, code);
    }
  }

  void* const library_;
  int (*load_)(Module**, const void*) = nullptr;
  int (*function_)(Function**, Module*, const char*) = nullptr;
  int (*launch_)(Function*,
                 unsigned,
                 unsigned,
                 unsigned,
                 unsigned,
                 unsigned,
                 unsigned,
                 unsigned,
                 cudaStream_t,
                 void**,
                 void**) = nullptr;
  int (*describe_)(int, const char**) = nullptr;
};

class CudaAlignmentKernels : public AlignmentKernels {
 public:
  void forward_sum(const ForwardSumArguments& arguments, const Grid& grid) override {
    driver_.launch(loaded().forward_sum, arguments, grid);
  }
  void search_durations(const DurationArguments& arguments, const Grid& grid) override {
    driver_.launch(loaded().search_durations, arguments, grid);
  }

 private:
  struct Loaded {
    Driver::Function* forward_sum = nullptr;
    Driver::Function* search_durations = nullptr;
  };

  // Returns the kernels of the current GPU.
  Loaded loaded() {
    const int device = c10::cuda::current_device();
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = loaded_.try_emplace(device);
    if (is_new) {
      try {
        found->second = load(device);
      } catch (...) {
        loaded_.erase(found);
        throw;
      }
    }
    return found->second;
  }

  Loaded load(int device) const {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
      throw Error("kernels: GPU {} cannot be asked what it is", device);
    }
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc) {
      throw MessageError(msg::kernels_no_nvrtc{.why = nvrtc.failure().what});
    }
    const int capability = 10 * properties.major + properties.minor;
    if (nvrtc.value()->architecture_for(capability) == 0) {
      throw MessageError(msg::kernels_gpu_too_old{
          .capability = fmt::format("{}.{}", properties.major, properties.minor)});
    }
    const Result<std::string> compiled =
        nvrtc.value()->compile(alignment_kernel_source(), "alignment.cu", capability);
    if (!compiled) {
      throw Error("kernels: {}", compiled.failure().what);
    }
    Driver::Module* const module = driver_.load(compiled.value());
    return {.forward_sum = driver_.function(module, "forward_sum"),
            .search_durations = driver_.function(module, "search_durations")};
  }

  const Driver driver_;
  std::mutex mutex_;  // guards loaded_
  std::map<int, Loaded> loaded_;
};

}  // namespace

AlignmentKernels& cuda_alignment_kernels() {
  static CudaAlignmentKernels kernels;
  return kernels;
}

}  // namespace qanat
