// The most likely alignment in which the tokens come one after another (MAS).
#pragma once

#include <torch/types.h>

namespace qanat {

// log_probability: f32 [B, T, N], lengths i64 [B], all in host memory. Returns i64 [B, N]: how many
// frames each token lasts, at least 1 for every token, 0 at padding; a row sums to its mel length.
// Throws Error when a row has more tokens than frames. Thread-safe; starts no threads.
torch::Tensor monotonic_durations(const torch::Tensor& log_probability,
                                  const torch::Tensor& token_lengths,
                                  const torch::Tensor& mel_lengths);

}  // namespace qanat
