// Which of the kernels this machine can run.
#include "features/kernels.h"

namespace qanat {
#if defined(__x86_64__)
namespace {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

}  // namespace
#endif

std::vector<MelKernels> usable_mel_kernels() {
#if defined(__x86_64__)
  if (has_avx2()) {
    return {avx2_mel_kernels(), baseline_mel_kernels()};
  }
#endif
  return {baseline_mel_kernels()};
}

GriffinLimKernels best_griffin_lim_kernels() {
#if defined(__x86_64__)
  if (has_avx2()) {
    return avx2_griffin_lim_kernels();
  }
#endif
  return baseline_griffin_lim_kernels();
}

}  // namespace qanat
