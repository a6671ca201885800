#include "features/griffin_lim_lanes.h"
#include "features/simd_avx2.h"

namespace qanat {

GriffinLimKernels avx2_griffin_lim_kernels() {
  return GriffinLimLanes<Avx2Lanes>::kernels("avx2");
}

}  // namespace qanat
