#include "features/mel_lanes.h"
#include "features/simd_avx2.h"

namespace qanat {

MelKernels avx2_mel_kernels() {
  using Kernels = MelLanes<Avx2Lanes>;
  return {.name = "avx2",
          .lanes = Kernels::kCount,
          .fill_float = Kernels::fill<float>,
          .fill_pcm16 = Kernels::fill<std::int16_t>,
          .log_mel = Kernels::log_mel};
}

}  // namespace qanat
