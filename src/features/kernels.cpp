// Which of the kernels this machine can run.
#include "features/griffin_lim_kernels.h"
#include "features/mel_kernels.h"

namespace qanat {
#if defined(__x86_64__)
namespace {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

}  // namespace

std::vector<MelKernels> usable_mel_kernels() {
  if (has_avx2()) {
    return {avx2_mel_kernels(), baseline_mel_kernels()};
  }
  return {baseline_mel_kernels()};
}

GriffinLimKernels best_griffin_lim_kernels() {
  return has_avx2() ? avx2_griffin_lim_kernels() : baseline_griffin_lim_kernels();
}
#else
std::vector<MelKernels> usable_mel_kernels() {
  return {baseline_mel_kernels()};
}

GriffinLimKernels best_griffin_lim_kernels() {
  return baseline_griffin_lim_kernels();
}
#endif

}  // namespace qanat
