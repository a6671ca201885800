// Which of the kernels this machine can run.
#include "features/kernels.h"

namespace qanat {
#if defined(__x86_64__)
namespace {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

// VBMI2 is not used; it came with the processors (Ice Lake, Zen 4) that keep their clock under
// 512-bit arithmetic. Those before lower it for everything else that runs on the core.
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512vbmi2") != 0;
}

}  // namespace
#endif

std::vector<MelKernels> usable_mel_kernels() {
  std::vector<MelKernels> usable;
#if defined(__x86_64__)
  if (has_avx512()) {
    usable.push_back(avx512_mel_kernels());
  }
  if (has_avx2()) {
    usable.push_back(avx2_mel_kernels());
  }
#endif
  usable.push_back(baseline_mel_kernels());
  return usable;
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
