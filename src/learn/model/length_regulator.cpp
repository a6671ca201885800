#include "model/length_regulator.h"

#include <numbers>

#include <torch/torch.h>

namespace qanat {

FramePlaces place_frames(const torch::Tensor& durations,
                         std::int64_t frames,
                         const torch::TensorOptions& options) {
  const std::int64_t batch = durations.size(0), tokens = durations.size(1);
  const torch::Tensor ends = durations.cumsum(1);  // [B, N]
  const torch::Tensor frame =
      torch::arange(frames, durations.options()).unsqueeze(0).expand({batch, frames}).contiguous();
  const torch::Tensor token =
      torch::searchsorted(ends, frame, /*out_int32=*/false, /*right=*/true).clamp_max(tokens - 1);
  const torch::Tensor valid = (frame < ends.slice(1, tokens - 1)).to(options);  // [B, T]

  const torch::Tensor duration = durations.gather(1, token).to(options).clamp_min(1);
  const torch::Tensor into = frame.to(options) + duration - ends.gather(1, token).to(options) + 0.5;
  const torch::Tensor phase = into / duration;
  const torch::Tensor features =
      torch::stack({phase - 0.5, torch::sin(phase * std::numbers::pi), torch::log(duration)}, 2);
  const torch::Tensor first =
      torch::arange(0, batch * tokens, tokens, durations.options()).unsqueeze(1);
  return {(token + first).flatten(), features * valid.unsqueeze(2), valid.unsqueeze(2)};
}

torch::Tensor repeat_tokens(const torch::Tensor& x, const FramePlaces& places) {
  const torch::Tensor repeated = x.flatten(0, 1).index_select(0, places.rows);
  return repeated.view({places.valid.size(0), places.valid.size(1), -1}) * places.valid;
}

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
