// The mel bands as a matrix, for operations of libtorch.
#pragma once

#include <torch/types.h>

#include "features/mel_config.h"

namespace qanat {

// f32 [fft_size / 2 + 1, mel_bins]: how much each bin counts in each band.
torch::Tensor mel_bands(const MelConfig& config);

}  // namespace qanat
