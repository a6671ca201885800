#include "features/mel_lanes.h"
#include "features/simd_baseline.h"

namespace qanat {

MelKernels baseline_mel_kernels() {
  using Kernels = MelLanes<BaselineLanes>;
  return {.name = "baseline",
          .lanes = Kernels::kCount,
          .fill_float = Kernels::fill<float>,
          .fill_pcm16 = Kernels::fill<std::int16_t>,
          .log_mel = Kernels::log_mel};
}

}  // namespace qanat
