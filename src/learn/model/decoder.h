// Frame-paced text vectors and speaker latents to mel, `patch` frames at each position.
#pragma once

#include "model/blocks.h"
#include "model/length_regulator.h"
#include "model/model_shape.h"

namespace qanat {

class DecoderImpl : public torch::nn::Module {
 public:
  explicit DecoderImpl(const ModelShape& shape);
  // encoded: [B, N, text width], latents: [B, L, speaker width], mask: of the T / patch positions
  // -> [B, T, mel_bins]; the T of `places` is a multiple of the patch.
  torch::Tensor forward(const torch::Tensor& encoded,
                        const FramePlaces& places,
                        const SequenceMask& mask,
                        const torch::Tensor& latents);

 private:
  std::int64_t patch_;
  torch::nn::Linear in_{nullptr};
  torch::nn::ModuleList blocks_;  // DecoderBlock
  Norm norm_{nullptr};
  torch::nn::Linear out_{nullptr};
};
TORCH_MODULE(Decoder);

// A few wide convolutions that sharpen the decoder's mel.
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
