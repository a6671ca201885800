#include "features/griffin_lim_kernels.h"

namespace qanat {

GriffinLimKernels best_griffin_lim_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return avx2_griffin_lim_kernels();
  }
#endif
  return baseline_griffin_lim_kernels();
}

}  // namespace qanat
