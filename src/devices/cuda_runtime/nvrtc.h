// NVIDIA's compiler at run time, which comes with every libtorch for CUDA: kernels are compiled for
// the GPU that is there, and users need no toolkit. Loaded when it is asked for, as NVML is.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace qanat {

// Thread-safe.
class Nvrtc {
 public:
  // The library that QANAT_NVRTC names, or that of CUDA 13, 12 or 11: where the loader finds it,
  // else beside the libtorch of this process. Fails with what the loader said.
  static Result<std::shared_ptr<const Nvrtc>> open();

  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;
  ~Nvrtc();

  // That it compiles for, ascending: 75 is compute capability 7.5.
  const std::vector<int>& architectures() const { return architectures_; }
  // The newest of these that a GPU of this capability runs; 0: none.
  int architecture_for(int capability) const;
  // What to load on a GPU of this capability: machine code where the compiler knows its generation,
  // which every driver loads that runs libtorch; PTX, which a driver older than the compiler
  // refuses, for newer GPUs only. Fails with what the compiler said.
  Result<std::string> compile(const std::string& source,
                              const std::string& name,
                              int capability) const;

 private:
  struct Functions;
  Nvrtc(void* loaded, std::unique_ptr<const Functions> functions);

  void* const loaded_;
  const std::unique_ptr<const Functions> functions_;
  std::vector<int> architectures_;
};

// Files that may be NVRTC, newest CUDA first: in the folders of these libraries, as in the archive
// of libtorch, and in the Python packages of NVIDIA beside libtorch's.
std::vector<std::filesystem::path> nvrtc_files_beside(
    const std::vector<std::filesystem::path>& libraries);

// The source of the kernels of alignment.cu, as NVRTC takes it.
std::string alignment_kernel_source();

}  // namespace qanat
