// Token embeddings to text vectors that know their neighbours, their place and the speaker.
#pragma once

#include "model/blocks.h"
#include "model/model_shape.h"

namespace qanat {

class TextEncoderImpl : public torch::nn::Module {
 public:
  explicit TextEncoderImpl(const ModelShape& shape);
  // tokens: i64 [B, N] -> [B, N, width]. The aligner reads these: they know no neighbours.
  torch::Tensor embed(const torch::Tensor& tokens);
  // embedded: [B, N, width], speaker: [B, speaker width] -> [B, N, width].
  torch::Tensor forward(const torch::Tensor& embedded,
                        const torch::Tensor& speaker,
                        const SequenceMask& mask);

 private:
  torch::nn::Embedding embedding_{nullptr};
  torch::nn::ModuleList convolutions_;  // TimeConvolution
  torch::nn::ModuleList norms_;         // Norm, one per convolution
  torch::nn::Linear speaker_{nullptr};
  torch::nn::ModuleList blocks_;  // EncoderBlock
  Norm norm_{nullptr};
};
TORCH_MODULE(TextEncoder);

}  // namespace qanat
