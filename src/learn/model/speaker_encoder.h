// A reference recording of any length to a fixed number of latents that say who speaks. The entry
// of the speaker table is added to them: a row may have both, either or none.
#pragma once

#include "model/blocks.h"
#include "model/model_shape.h"

namespace qanat {

// One step of the Perceiver: the latents read the sequence, then think.
class PerceiverLayerImpl : public torch::nn::Module {
 public:
  explicit PerceiverLayerImpl(const BlockOptions& options);
  // latents: [B, L, width], x: [B, S, context width], key_bias: [B, 1, S].
  torch::Tensor forward(torch::Tensor latents,
                        const torch::Tensor& x,
                        const torch::Tensor& key_bias);

 private:
  Norm attention_norm_{nullptr};
  CrossAttention attention_{nullptr};
  Norm ffn_norm_{nullptr};
  torch::nn::Linear in_{nullptr};
  torch::nn::Linear out_{nullptr};
};
TORCH_MODULE(PerceiverLayer);

struct SpeakerInput {
  torch::Tensor reference;  // [B, R, mel_bins], normalised
  torch::Tensor lengths;    // i64 [B], 0: no reference
  torch::Tensor speakers;   // i64 [B], -1: not said; or undefined
};

struct SpeakerCondition {
  torch::Tensor latents;  // [B, L, width]
  torch::Tensor vector;   // [B, width], their mean
};

class SpeakerEncoderImpl : public torch::nn::Module {
 public:
  explicit SpeakerEncoderImpl(const ModelShape& shape);
  SpeakerCondition forward(const SpeakerInput& input);

 private:
  torch::Tensor read_reference(const SpeakerInput& input);  // [B, L, width]

  TimeConvolution first_{nullptr};  // each halves the rate
  TimeConvolution second_{nullptr};
  torch::nn::ModuleList blocks_;  // EncoderBlock
  torch::Tensor queries_;         // [L, width]: what the latents ask for
  torch::Tensor nobody_;          // [L, width]: the latents of a row without a reference
  torch::nn::ModuleList layers_;  // PerceiverLayer
  Norm norm_{nullptr};
  torch::nn::Embedding table_{nullptr};  // null without speaker ids
};
TORCH_MODULE(SpeakerEncoder);

}  // namespace qanat
