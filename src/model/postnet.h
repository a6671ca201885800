// A few wide convolutions that sharpen the decoder's mel.
#pragma once

#include "model/layers.h"
#include "model/model_shape.h"

namespace qanat {

class PostnetImpl : public torch::nn::Module {
 public:
  explicit PostnetImpl(const ModelShape& shape);
  // mel: [B, T, mel_bins], valid: [B, T, 1] -> the refined mel, [B, T, mel_bins].
  torch::Tensor forward(const torch::Tensor& mel, const torch::Tensor& valid);

 private:
  TimeConvolution in_{nullptr};
  TimeConvolution inner_{nullptr};
  TimeConvolution out_{nullptr};
};
TORCH_MODULE(Postnet);

}  // namespace qanat
