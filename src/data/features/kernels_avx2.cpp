#include "features/griffin_lim_lanes.h"
#include "features/mel_lanes.h"
#include "features/simd_avx2.h"

namespace qanat {

MelKernels avx2_mel_kernels() {
  return MelLanes<Avx2Lanes>::kernels("avx2");
}

GriffinLimKernels avx2_griffin_lim_kernels() {
  return GriffinLimLanes<Avx2Lanes>::kernels("avx2");
}

}  // namespace qanat
