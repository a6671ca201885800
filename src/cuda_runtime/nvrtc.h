// NVIDIA's compiler at run time, which comes with every libtorch for CUDA: kernels are compiled for
// the GPU that is there, and users need no toolkit. Loaded when it is asked for, as NVML is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace qanat {

// Thread-safe.
class Nvrtc {
 public:
  // The library that QANAT_NVRTC names, or that of CUDA 13, 12 or 11. Fails with what the loader
  // said.
  static Result<std::shared_ptr<const Nvrtc>> open();

  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;
  ~Nvrtc();

  // That it compiles for, ascending: 75 is compute capability 7.5.
  const std::vector<int>& architectures() const { return architectures_; }
  // The newest of these that a GPU of this capability runs; 0: none.
  int architecture_for(int capability) const;
  // Fails with what the compiler said.
  Result<std::string> to_ptx(const std::string& source,
                             const std::string& name,
                             int architecture) const;

 private:
  struct Functions;
  Nvrtc(void* loaded, std::unique_ptr<const Functions> functions);

  void* const loaded_;
  const std::unique_ptr<const Functions> functions_;
  std::vector<int> architectures_;
};

// The source of the kernels of alignment.cu, as NVRTC takes it.
std::string alignment_kernel_source();

}  // namespace qanat
