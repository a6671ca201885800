#include "train/loss_scale.h"

#include <torch/torch.h>

namespace qanat {

LossScale::LossScale(const LossScaleOptions& options, torch::Device device)
    : options_(options),
      factor_(torch::full({}, options.first, torch::TensorOptions().device(device))),
      in_a_row_(torch::zeros({}, torch::TensorOptions().device(device))) {}

void LossScale::unscale(const torch::Tensor& gradient) const {
  const torch::NoGradGuard no_grad;
  gradient.div_(factor_);
}

void LossScale::follow(const torch::Tensor& made) {
  const torch::NoGradGuard no_grad;
  in_a_row_.add_(1).mul_(made);
  const torch::Tensor grows = in_a_row_ >= static_cast<double>(options_.growth_interval);
  const torch::Tensor grown = (factor_ * options_.growth).clamp_max(options_.most);
  const torch::Tensor shrunk = (factor_ * options_.backoff).clamp_min(1.0);
  factor_.copy_(torch::where(made == 0, shrunk, torch::where(grows, grown, factor_)));
  in_a_row_.masked_fill_(grows, 0.0);
}

}  // namespace qanat
