#include "features/mel_kernels.h"

namespace qanat {

std::vector<MelKernels> usable_mel_kernels() {
  std::vector<MelKernels> usable;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    usable.push_back(avx2_mel_kernels());
  }
#endif
  usable.push_back(baseline_mel_kernels());
  return usable;
}

}  // namespace qanat
