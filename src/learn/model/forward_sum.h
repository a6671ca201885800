// The loss that teaches the aligner: how likely the tokens are in their order, over all alignments.
#pragma once

#include <torch/types.h>

namespace qanat {

// log_probability: [B, T, N] as of the aligner. Frames may also belong to no token (log weight -1),
// then each frame is normalised, and what is left is the connectionist temporal classification
// loss of the tokens 1, 2, ..., each once. Negative log-likelihood of each row: [B]. On a GPU it is
// computed there, and the host does not wait.
torch::Tensor forward_sum(const torch::Tensor& log_probability,
                          const torch::Tensor& token_lengths,
                          const torch::Tensor& mel_lengths);

// The same by libtorch's own loss: for any values, slow.
torch::Tensor forward_sum_by_logarithms(const torch::Tensor& log_probability,
                                        const torch::Tensor& token_lengths,
                                        const torch::Tensor& mel_lengths);

}  // namespace qanat
