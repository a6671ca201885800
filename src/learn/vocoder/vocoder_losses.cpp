#include "vocoder/vocoder_losses.h"

#include <array>

namespace qanat {
namespace {

constexpr std::array<StftOptions, 3> kResolutions = {StftOptions{.fft_size = 512, .hop = 128},
                                                     StftOptions{.fft_size = 1024, .hop = 256},
                                                     StftOptions{.fft_size = 2048, .hop = 512}};
constexpr double kSilence = 1e-3;  // magnitudes below it are as good as none

// The norm of every row; a little above 0, so that its gradient is finite.
torch::Tensor length_of(const torch::Tensor& rows) {
  return (rows.square().sum({1, 2}) + kSilence * kSilence).sqrt();
}

}  // namespace

torch::Tensor mel_loss(const torch::Tensor& made, const torch::Tensor& recorded) {
  return (made - recorded).abs().mean({1, 2});
}

torch::Tensor magnitude_loss(const torch::Tensor& made, const torch::Tensor& recorded) {
  const torch::Tensor convergence = length_of(made - recorded) / length_of(recorded);
  const torch::Tensor logs =
      (made.clamp_min(kSilence).log() - recorded.clamp_min(kSilence).log()).abs().mean({1, 2});
  return convergence + logs;
}

StftLoss::StftLoss(torch::Device device) {
  for (const StftOptions& options : kResolutions) {
    resolutions_.emplace_back(options, device);
  }
}

torch::Tensor StftLoss::of(const torch::Tensor& made, const torch::Tensor& recorded) const {
  torch::Tensor sum;
  for (const Stft& stft : resolutions_) {
    const torch::Tensor loss = magnitude_loss(stft.magnitude(made), stft.magnitude(recorded));
    sum = sum.defined() ? sum + loss : loss;
  }
  return sum / static_cast<double>(resolutions_.size());
}

}  // namespace qanat
