// The most likely alignment in which the tokens come one after another (MAS).
#pragma once

#include <cstdint>

#include <torch/types.h>

namespace qanat {

// log_probability: f32 [B, T, N], lengths i64 [B], all on one device. Returns i64 [B, N] there: how
// many frames each token lasts, at least 1 for every token, 0 at padding; a row sums to its mel
// length. Rows are alignable: in host memory it throws Error when one is not; on a GPU it starts
// the search and cannot say so. Thread-safe; starts no threads.
torch::Tensor monotonic_durations(const torch::Tensor& log_probability,
                                  const torch::Tensor& token_lengths,
                                  const torch::Tensor& mel_lengths);

// Throws Error when a row has no token, or more tokens than frames.
void require_alignable(std::int64_t row, std::int64_t tokens, std::int64_t frames);

}  // namespace qanat
