#include "features/mel_lanes.h"
#include "features/simd_avx512.h"

namespace qanat {

MelKernels avx512_mel_kernels() {
  return MelLanes<Avx512Lanes>::kernels("avx512");
}

}  // namespace qanat
