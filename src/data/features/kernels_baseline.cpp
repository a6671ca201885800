#include "features/griffin_lim_lanes.h"
#include "features/mel_lanes.h"
#include "features/simd_baseline.h"

namespace qanat {

MelKernels baseline_mel_kernels() {
  return MelLanes<BaselineLanes>::kernels("baseline");
}

GriffinLimKernels baseline_griffin_lim_kernels() {
  return GriffinLimLanes<BaselineLanes>::kernels("baseline");
}

}  // namespace qanat
