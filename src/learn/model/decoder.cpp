#include "model/decoder.h"

namespace qanat {

DecoderImpl::DecoderImpl(const ModelShape& shape) : patch_(shape.patch) {
  const std::int64_t width = shape.decoder_width;
  in_ =
      register_module("in", torch::nn::Linear(patch_ * (shape.text_width + kPhaseFeatures), width));
  register_module("blocks", blocks_);
  for (int i = 0; i < shape.decoder_layers; ++i) {
    blocks_->push_back(DecoderBlock(BlockOptions{.width = width,
                                                 .heads = shape.decoder_heads,
                                                 .ffn = shape.decoder_ffn,
                                                 .context = shape.speaker_width}));
  }
  norm_ = register_module("norm", Norm(width));
  out_ = register_module("out", torch::nn::Linear(width, patch_ * shape.mel_bins));
}

torch::Tensor DecoderImpl::forward(const torch::Tensor& encoded,
                                   const FramePlaces& places,
                                   const SequenceMask& mask,
                                   const torch::Tensor& latents) {
  const torch::Tensor frames =
      torch::cat({repeat_tokens(encoded, places), places.phase}, 2);  // [B, T, text width + 3]
  const std::int64_t batch = frames.size(0), positions = frames.size(1) / patch_;
  torch::Tensor x = in_(frames.view({batch, positions, -1}));
  x = x + sinusoidal_positions(positions, x.size(2), mask.valid.options());
  for (std::size_t i = 0; i < blocks_->size(); ++i) {
    x = blocks_->ptr<DecoderBlockImpl>(i)->forward(x, mask, latents);
  }
  return out_(norm_(x)).view({batch, positions * patch_, -1});
}

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
