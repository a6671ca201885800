// What a vocoder is trained to make small: how far its sound is from the recording, in bands and at
// several resolutions of the spectrum. Each loss is f32 [rows], a mean over the row.
#pragma once

#include <vector>

#include <torch/torch.h>

#include "vocoder/spectra.h"

namespace qanat {

// Log-mel: mean absolute difference, nats.
torch::Tensor mel_loss(const torch::Tensor& made, const torch::Tensor& recorded);

// Compares spectra, f32 [rows, frames, bins]: the spectral convergence (the norm of the difference
// over that of the recording's) plus the mean absolute difference of their logs.
torch::Tensor magnitude_loss(const torch::Tensor& made, const torch::Tensor& recorded);

// The multi-resolution STFT distance: the mean of magnitude_loss() over resolutions. Tables on one
// device; a value.
class StftLoss {
 public:
  explicit StftLoss(torch::Device device);

  // f32 [rows, samples] both.
  torch::Tensor of(const torch::Tensor& made, const torch::Tensor& recorded) const;

 private:
  std::vector<Stft> resolutions_;
};

}  // namespace qanat
