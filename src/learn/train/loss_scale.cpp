#include "train/loss_scale.h"

#include <torch/torch.h>

namespace qanat {

LossScale::LossScale(const LossScaleOptions& options, const torch::Tensor& state)
    : options_(options), factor_(state[0]), in_a_row_(state[1]) {}

torch::Tensor LossScale::make_state(const LossScaleOptions& options, torch::Device device) {
  return torch::tensor({static_cast<float>(options.first), 0.0F}).to(device);
}

void LossScale::unscale(const torch::Tensor& gradient) const {
  const torch::NoGradGuard no_grad;
  gradient.div_(factor_);
}

void LossScale::update(const torch::Tensor& made) {
  const torch::NoGradGuard no_grad;
  in_a_row_.add_(1).mul_(made);
  const torch::Tensor grows = in_a_row_ >= static_cast<double>(options_.growth_interval);
  const torch::Tensor grown = (factor_ * options_.growth).clamp_max(options_.most);
  const torch::Tensor shrunk = (factor_ * options_.backoff).clamp_min(1.0);
  factor_.copy_(torch::where(made == 0, shrunk, torch::where(grows, grown, factor_)));
  in_a_row_.masked_fill_(grows, 0.0);
}

}  // namespace qanat
