// From the pace of the text to the pace of the frames: every token is repeated as long as it lasts.
#pragma once

#include "model/layers.h"
#include "model/model_shape.h"

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

// How many frames each token lasts, from the text and the speaker.
class DurationPredictorImpl : public torch::nn::Module {
 public:
  explicit DurationPredictorImpl(const ModelShape& shape);
  // encoded: [B, N, text width], speaker: [B, speaker width], valid: [B, N, 1]
  // -> logarithms of frames, [B, N]. Sends no gradient back.
  torch::Tensor forward(const torch::Tensor& encoded,
                        const torch::Tensor& speaker,
                        const torch::Tensor& valid);

 private:
  torch::nn::Linear speaker_{nullptr};
  TimeConvolution first_{nullptr};
  Norm first_norm_{nullptr};
  TimeConvolution second_{nullptr};
  Norm second_norm_{nullptr};
  torch::nn::Linear out_{nullptr};
};
TORCH_MODULE(DurationPredictor);

}  // namespace qanat
