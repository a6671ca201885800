#include "model/layers.h"

#include <cmath>

#include <torch/torch.h>

namespace qanat {

TimeConvolutionImpl::TimeConvolutionImpl(const TimeConvolutionOptions& options)
    : padding_(options.kernel / 2), stride_(options.stride) {
  weight_ = register_parameter("weight", torch::empty({options.out, options.in, options.kernel}));
  bias_ = register_parameter("bias", torch::empty({options.out}));
  const double bound = 1 / std::sqrt(static_cast<double>(options.in * options.kernel));
  torch::NoGradGuard no_grad;
  weight_.uniform_(-bound, bound);
  bias_.uniform_(-bound, bound);
}

torch::Tensor TimeConvolutionImpl::forward(const torch::Tensor& x) {
  // [B, T, C] is a channels-last image [B, C, 1, T] as it lies; a 1-d convolution would copy it.
  const torch::Tensor image = x.transpose(1, 2).unsqueeze(2);
  const torch::Tensor y = torch::conv2d(image,
                                        weight_.unsqueeze(2),
                                        bias_,
                                        at::IntArrayRef{1, stride_},
                                        at::IntArrayRef{0, padding_});
  return y.squeeze(2).transpose(1, 2);
}

NormImpl::NormImpl(std::int64_t channels) {
  weight_ = register_parameter("weight", torch::ones({channels}));
  bias_ = register_parameter("bias", torch::zeros({channels}));
}

torch::Tensor NormImpl::forward(const torch::Tensor& x) {
  return torch::layer_norm(x.to(weight_.scalar_type()), weight_.sizes(), weight_, bias_);
}

torch::Tensor sinusoidal_positions(std::int64_t positions,
                                   std::int64_t channels,
                                   const torch::TensorOptions& options) {
  const torch::Tensor frequency = torch::exp(torch::arange(0, channels, 2, options) *
                                             (-std::log(10000.0) / static_cast<double>(channels)));
  const torch::Tensor angle =
      torch::arange(positions, options).unsqueeze(1) * frequency.unsqueeze(0);  // [T, C / 2]
  return torch::cat({torch::sin(angle), torch::cos(angle)}, 1);
}

SequenceMask make_sequence_mask(const torch::Tensor& lengths,
                                std::int64_t positions,
                                const torch::TensorOptions& options) {
  const torch::Tensor index = torch::arange(positions, lengths.options());
  const torch::Tensor valid = (index.unsqueeze(0) < lengths.unsqueeze(1)).to(options);  // [B, T]
  // Finite, so that a row without any key is not NaN; exp(-1e4) is 0 in every floating type.
  return {valid.unsqueeze(2), ((valid - 1) * 1e4).unsqueeze(1)};
}

}  // namespace qanat
