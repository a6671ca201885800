#include "cuda_runtime/nvrtc.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <set>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "cuda_runtime/kernel_sources.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

// What alignment.cu leaves to those who compile it.
constexpr const char* kGpuWords = R"(
#define QANAT_KERNEL extern "C" __global__ void __launch_bounds__(1024)
#define QANAT_DEVICE static __device__ __forceinline__
#define QANAT_THREAD int(threadIdx.x)
#define QANAT_THREADS int(blockDim.x)
#define QANAT_ROW ((long long)blockIdx.x)
#define QANAT_INFINITY __int_as_float(0x7f800000)
#define QANAT_MEET __syncthreads()
)";

// Those of CUDA's and libtorch's that this process has loaded.
std::vector<fs::path> loaded_libraries() {
  std::vector<fs::path> paths;
  ::dl_iterate_phdr(
      [](::dl_phdr_info* library, std::size_t, void* found) {
        const fs::path path = library->dlpi_name;
        const std::string name = path.filename().string();
        if (name.starts_with("libtorch_cuda") || name.starts_with("libcudart")) {
          static_cast<std::vector<fs::path>*>(found)->push_back(path);
        }
        return 0;
      },
      &paths);
  return paths;
}

std::vector<fs::path> folder_entries(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  return entries;
}

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
  Code (*cubin_size)(Program, std::size_t*);
  Code (*cubin)(Program, char*);
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
           find(library, "nvrtcGetCUBINSize", cubin_size) &&
           find(library, "nvrtcGetCUBIN", cubin) &&
           find(library, "nvrtcGetProgramLogSize", log_size) &&
           find(library, "nvrtcGetProgramLog", log) &&
           find(library, "nvrtcGetNumSupportedArchs", num_architectures) &&
           find(library, "nvrtcGetSupportedArchs", architectures) &&
           find(library, "nvrtcGetErrorString", describe);
  }
  // What the library has the length of; empty where it has none.
  static std::string bytes(Program program,
                           Code (*size)(Program, std::size_t*),
                           Code (*read)(Program, char*)) {
    std::size_t length = 0;
    if (size(program, &length) != 0 || length == 0) {
      return {};
    }
    std::string bytes(length, '\0');
    return read(program, bytes.data()) == 0 ? bytes : std::string();
  }
  // A text, whose length includes its closing zero.
  static std::string text(Program program,
                          Code (*size)(Program, std::size_t*),
                          Code (*read)(Program, char*)) {
    std::string text = bytes(program, size, read);
    text.resize(std::min(text.size(), text.find('\0')));
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
  std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  if (const char* const given = std::getenv("QANAT_NVRTC")) {
    names = {given};
  } else {
    for (const fs::path& file : nvrtc_files_beside(loaded_libraries())) {
      names.push_back(file.string());
    }
  }
  std::string why;
  for (const std::string& name : names) {
    // Not unloaded: its own C++ runtime would leave memory behind with every load.
    void* const loaded = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
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

Result<std::string> Nvrtc::compile(const std::string& source,
                                   const std::string& name,
                                   int capability) const {
  Functions::Program program = nullptr;
  Functions::Code code =
      functions_->create(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr);
  if (code != 0) {
    return Failure{fmt::format("NVRTC: {}", functions_->describe(code))};
  }
  const int architecture = architecture_for(capability);
  // Machine code runs on all later GPUs of its generation, and on no others.
  const bool is_known = architecture / 10 == capability / 10;
  // Sums are compared with the host's: no multiplication is merged into them.
  const std::string target =
      fmt::format("--gpu-architecture={}_{}", is_known ? "sm" : "compute", architecture);
  const std::array options = {target.c_str(), "--std=c++17", "--fmad=false"};
  code = functions_->compile(program, static_cast<int>(options.size()), options.data());
  const std::string said = Functions::text(program, functions_->log_size, functions_->log);
  std::string compiled = is_known
                             ? Functions::bytes(program, functions_->cubin_size, functions_->cubin)
                             : Functions::text(program, functions_->ptx_size, functions_->ptx);
  const std::string failed = functions_->describe(code);
  functions_->destroy(&program);
  if (code != 0 || compiled.empty()) {
    return Failure{fmt::format("{}: NVRTC: {}: {}", name, failed, said)};
  }
  return compiled;
}

std::vector<fs::path> nvrtc_files_beside(const std::vector<fs::path>& libraries) {
  std::set<fs::path> folders;
  for (const fs::path& library : libraries) {
    const fs::path folder = library.parent_path();
    folders.insert(folder);
    // site-packages/torch/lib, site-packages/nvidia/*/lib
    for (const fs::path& package : folder_entries(folder / "../../nvidia")) {
      folders.insert((package / "lib").lexically_normal());
    }
  }
  std::vector<fs::path> files;
  for (const fs::path& folder : folders) {
    for (const fs::path& file : folder_entries(folder)) {
      const std::string name = file.filename().string();
      if (name.starts_with("libnvrtc") && !name.starts_with("libnvrtc-builtins") &&
          name.find(".so") != std::string::npos) {
        files.push_back(file);
      }
    }
  }
  std::ranges::sort(files, std::ranges::greater{}, [](const fs::path& file) {
    const std::string name = file.filename().string();
    return std::pair(name.substr(name.find(".so")), file);
  });
  return files;
}

std::string alignment_kernel_source() {
  return std::string(kGpuWords) + std::string(kAlignmentArgumentsH) + std::string(kAlignmentCu);
}

}  // namespace qanat
