// The prior probability of each token at each frame, before any audio: a diagonal band.
#pragma once

#include <torch/types.h>

namespace qanat {

struct AlignmentLengths {
  torch::Tensor tokens;         // i64 [B]
  torch::Tensor frames;         // i64 [B]
  std::int64_t max_tokens = 0;  // N
  std::int64_t max_frames = 0;  // T
};

// log of the beta-binomial distribution of the token, with parameters t + 1 and frames - t at frame
// t: f32 [B, T, N]; what it says behind the end of a row is finite and without meaning.
torch::Tensor log_alignment_prior(const AlignmentLengths& lengths);

}  // namespace qanat
