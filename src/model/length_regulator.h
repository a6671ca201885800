// From the pace of the text to the pace of the frames: every token is repeated as long as it lasts.
#pragma once

#include <torch/types.h>

namespace qanat {

inline constexpr std::int64_t kPhaseFeatures = 3;

// Where each frame of a batch stands in the text. Value of plain tensors without gradient.
struct FramePlaces {
  torch::Tensor rows;   // i64 [B * T]: position in [B * N] of the token of each frame
  torch::Tensor phase;  // [B, T, kPhaseFeatures]: how far into its token, and how long that is
  torch::Tensor valid;  // [B, T, 1]
};

// durations: i64 [B, N], 0 at padding; `frames` is T, options those of the network.
FramePlaces place_frames(const torch::Tensor& durations,
                         std::int64_t frames,
                         const torch::TensorOptions& options);

// x: [B, N, C] -> [B, T, C], 0 behind the end of each row.
torch::Tensor repeat_tokens(const torch::Tensor& x, const FramePlaces& places);

}  // namespace qanat
