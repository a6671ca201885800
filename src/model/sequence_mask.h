// Which positions of a padded batch are real; made once per batch and sequence.
#pragma once

#include <torch/types.h>

namespace qanat {

// Value of plain tensors.
struct SequenceMask {
  torch::Tensor valid;     // [B, T, 1] of the network's type: 1 real, 0 padding
  torch::Tensor key_bias;  // [B, 1, T]: 0 real, -1e4 padding: added to attention scores
};

// lengths: i64 [B].
SequenceMask make_sequence_mask(const torch::Tensor& lengths,
                                std::int64_t positions,
                                const torch::TensorOptions& options);

}  // namespace qanat
