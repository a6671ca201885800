// What one training step reads, as tensors on one device.
//
// Values past the end of a row have no effect, as long as they are finite and token ids stay inside
// the vocabulary.
#pragma once

#include <torch/types.h>

namespace qanat {

struct ModelBatch {
  torch::Tensor tokens;             // i64 [B, N], 0 = padding
  torch::Tensor token_lengths;      // i64 [B], 1 to N
  torch::Tensor mel;                // f32 [B, T, mel_bins], natural log-mel
  torch::Tensor mel_lengths;        // i64 [B], 1 to T
  torch::Tensor reference;          // f32 [B, R, mel_bins], natural log-mel of a crop
  torch::Tensor reference_lengths;  // i64 [B], 0 (the row is without a reference) to R
  torch::Tensor speakers;           // i64 [B], -1: not said; undefined: of no row
  torch::Tensor mel_weights;  // f32 [B, T]: 1 where a frame counts in the mel losses, 0 in padding
};

}  // namespace qanat
