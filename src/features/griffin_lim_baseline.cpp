#include "features/griffin_lim_lanes.h"
#include "features/simd_baseline.h"

namespace qanat {

GriffinLimKernels baseline_griffin_lim_kernels() {
  return GriffinLimLanes<BaselineLanes>::kernels("baseline");
}

}  // namespace qanat
