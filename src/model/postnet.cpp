#include "model/postnet.h"

namespace qanat {

PostnetImpl::PostnetImpl(const ModelShape& shape) {
  const std::int64_t mel = shape.mel_bins, width = shape.postnet_width;
  in_ = register_module(
      "in", TimeConvolution(TimeConvolutionOptions{.in = mel, .out = width, .kernel = 5}));
  inner_ = register_module(
      "inner", TimeConvolution(TimeConvolutionOptions{.in = width, .out = width, .kernel = 5}));
  out_ = register_module(
      "out", TimeConvolution(TimeConvolutionOptions{.in = width, .out = mel, .kernel = 5}));
}

torch::Tensor PostnetImpl::forward(const torch::Tensor& mel, const torch::Tensor& valid) {
  torch::Tensor x = torch::silu(in_(mel * valid));
  x = torch::silu(inner_(x * valid));
  return mel + out_(x * valid);
}

}  // namespace qanat
