// How many frames each token lasts, from the text and the speaker.
#pragma once

#include "model/layers.h"
#include "model/model_shape.h"

namespace qanat {

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
