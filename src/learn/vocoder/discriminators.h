// What tells recordings from the generator's sound while a vocoder is trained: one network per
// period (the samples folded into columns of that many) and one per resolution of the spectrum.
#pragma once

#include <vector>

#include <torch/torch.h>

#include "vocoder/spectra.h"
#include "vocoder/vocoder_shape.h"

namespace qanat {

// What one network says of some rows.
struct Judgement {
  torch::Tensor score;                  // [rows, places]: above 0: a recording
  std::vector<torch::Tensor> features;  // of its layers, [rows, ...]
};

// Convolutions with leaky ReLU between, and a last one that scores.
class DiscriminatorStackImpl : public torch::nn::Module {
 public:
  explicit DiscriminatorStackImpl(const std::vector<torch::nn::Conv2dOptions>& layers);
  Judgement judge(torch::Tensor x);  // [rows, 1, height, width]

 private:
  torch::nn::ModuleList layers_;
};
TORCH_MODULE(DiscriminatorStack);

class VocoderDiscriminatorsImpl : public torch::nn::Module {
 public:
  explicit VocoderDiscriminatorsImpl(const DiscriminatorShape& shape);

  // f32 [rows, samples]; one judgement per network.
  std::vector<Judgement> judge(const torch::Tensor& samples);

 private:
  const DiscriminatorShape shape_;
  torch::nn::ModuleList periods_;
  torch::nn::ModuleList resolutions_;
  std::vector<torch::Tensor> windows_;  // buffers, one per resolution
};
TORCH_MODULE(VocoderDiscriminators);

// f32 [rows] each, means over the networks. Hinge losses.
torch::Tensor discriminator_loss(const std::vector<Judgement>& recorded,
                                 const std::vector<Judgement>& made);
torch::Tensor adversarial_loss(const std::vector<Judgement>& made);
// Mean absolute difference of what the layers see.
torch::Tensor feature_loss(const std::vector<Judgement>& recorded,
                           const std::vector<Judgement>& made);

}  // namespace qanat
