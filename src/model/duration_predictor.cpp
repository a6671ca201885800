#include "model/duration_predictor.h"

namespace qanat {

DurationPredictorImpl::DurationPredictorImpl(const ModelShape& shape) {
  const std::int64_t width = shape.text_width;
  const TimeConvolutionOptions convolution{.in = width, .out = width, .kernel = 3};
  speaker_ = register_module("speaker", torch::nn::Linear(shape.speaker_width, width));
  first_ = register_module("first", TimeConvolution(convolution));
  first_norm_ = register_module("first_norm", Norm(width));
  second_ = register_module("second", TimeConvolution(convolution));
  second_norm_ = register_module("second_norm", Norm(width));
  out_ = register_module("out", torch::nn::Linear(width, 1));
}

torch::Tensor DurationPredictorImpl::forward(const torch::Tensor& encoded,
                                             const torch::Tensor& speaker,
                                             const torch::Tensor& valid) {
  torch::Tensor x = encoded.detach() + speaker_(speaker.detach()).unsqueeze(1);
  x = first_norm_(torch::silu(first_(x * valid)));
  x = second_norm_(torch::silu(second_(x * valid)));
  return out_(x).squeeze(2);
}

}  // namespace qanat
