#include "cuda_runtime/nvrtc.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

#include "cuda_runtime/kernel_sources.h"

namespace qanat {
namespace {

// What alignment.cu leaves to those who compile it.
constexpr const char* kGpuWords = R"(
#define QANAT_KERNEL extern "C" __global__ void
#define QANAT_DEVICE static __device__ __forceinline__
#define QANAT_THREAD int(threadIdx.x)
#define QANAT_THREADS int(blockDim.x)
#define QANAT_ROW ((long long)blockIdx.x)
#define QANAT_INFINITY __int_as_float(0x7f800000)
#define QANAT_MEET __syncthreads()
)";

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

struct Nvrtc::Functions {
  struct ProgramObject;
  using Program = ProgramObject*;
  using Code = int;  // 0: success

  Code (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  Code (*destroy)(Program*);
  Code (*compile)(Program, int, const char* const*);
  Code (*ptx_size)(Program, std::size_t*);
  Code (*ptx)(Program, char*);
  Code (*log_size)(Program, std::size_t*);
  Code (*log)(Program, char*);
  Code (*num_architectures)(int*);
  Code (*architectures)(int*);
  const char* (*describe)(Code);

  bool find_all(void* library) {
    return find(library, "nvrtcCreateProgram", create) &&
           find(library, "nvrtcDestroyProgram", destroy) &&
           find(library, "nvrtcCompileProgram", compile) &&
           find(library, "nvrtcGetPTXSize", ptx_size) && find(library, "nvrtcGetPTX", ptx) &&
           find(library, "nvrtcGetProgramLogSize", log_size) &&
           find(library, "nvrtcGetProgramLog", log) &&
           find(library, "nvrtcGetNumSupportedArchs", num_architectures) &&
           find(library, "nvrtcGetSupportedArchs", architectures) &&
           find(library, "nvrtcGetErrorString", describe);
  }
  // A text that the library has the length of, its closing zero included.
  std::string text(Program program,
                   Code (*size)(Program, std::size_t*),
                   Code (*read)(Program, char*)) const {
    std::size_t length = 0;
    if (size(program, &length) != 0 || length == 0) {
      return {};
    }
    std::string text(length, '\0');
    if (read(program, text.data()) != 0) {
      return {};
    }
    text.resize(text.find('\0') == std::string::npos ? length : text.find('\0'));
    return text;
  }
};

Nvrtc::Nvrtc(void* loaded, std::unique_ptr<const Functions> functions)
    : loaded_(loaded), functions_(std::move(functions)) {
  int count = 0;
  if (functions_->num_architectures(&count) == 0 && count > 0) {
    architectures_.resize(static_cast<std::size_t>(count));
    if (functions_->architectures(architectures_.data()) != 0) {
      architectures_.clear();
    }
  }
  std::ranges::sort(architectures_);
}

Nvrtc::~Nvrtc() {
  ::dlclose(loaded_);
}

Result<std::shared_ptr<const Nvrtc>> Nvrtc::open() {
  constexpr std::array kUsual = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  const char* const given = std::getenv("QANAT_NVRTC");  // NOLINT(concurrency-mt-unsafe)
  std::string why;
  for (const char* const name : given == nullptr
                                    ? std::vector<const char*>(kUsual.begin(), kUsual.end())
                                    : std::vector{given}) {
    // Not unloaded: its own C++ runtime would leave memory behind with every load.
    void* const loaded = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    auto functions = std::make_unique<Functions>();
    if (loaded != nullptr && functions->find_all(loaded)) {
      return std::shared_ptr<const Nvrtc>(new Nvrtc(loaded, std::move(functions)));
    }
    if (why.empty()) {
      why = loaded == nullptr ? ::dlerror() : fmt::format("{}: too old", name);
    }
    if (loaded != nullptr) {
      ::dlclose(loaded);
    }
  }
  return Failure{why};
}

int Nvrtc::architecture_for(int capability) const {
  const auto newer = std::ranges::upper_bound(architectures_, capability);
  return newer == architectures_.begin() ? 0 : *std::prev(newer);
}

Result<std::string> Nvrtc::to_ptx(const std::string& source,
                                  const std::string& name,
                                  int architecture) const {
  Functions::Program program = nullptr;
  Functions::Code code =
      functions_->create(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr);
  if (code != 0) {
    return Failure{fmt::format("NVRTC: {}", functions_->describe(code))};
  }
  // Sums are compared with the host's: no multiplication is merged into them.
  const std::string target = fmt::format("--gpu-architecture=compute_{}", architecture);
  const std::array options = {target.c_str(), "--std=c++17", "--fmad=false"};
  code = functions_->compile(program, static_cast<int>(options.size()), options.data());
  const std::string said = functions_->text(program, functions_->log_size, functions_->log);
  std::string ptx = functions_->text(program, functions_->ptx_size, functions_->ptx);
  const std::string failed = functions_->describe(code);
  functions_->destroy(&program);
  if (code != 0 || ptx.empty()) {
    return Failure{fmt::format("{}: NVRTC: {}: {}", name, failed, said)};
  }
  return ptx;
}

std::string alignment_kernel_source() {
  return std::string(kGpuWords) + std::string(kAlignmentArgumentsH) + std::string(kAlignmentCu);
}

}  // namespace qanat
