#include "model/speaker_encoder.h"

namespace qanat {

namespace {

constexpr int kPerceiverDepth = 2;

torch::Tensor half_lengths(const torch::Tensor& lengths) {
  return torch::bitwise_right_shift(lengths + 1, 1);
}

}  // namespace

PerceiverLayerImpl::PerceiverLayerImpl(const BlockOptions& options) {
  attention_norm_ = register_module("attention_norm", Norm(options.width));
  attention_ = register_module(
      "attention",
      CrossAttention(CrossAttentionOptions{
          .width = options.width, .context = options.context, .heads = options.heads}));
  ffn_norm_ = register_module("ffn_norm", Norm(options.width));
  in_ = register_module("in", torch::nn::Linear(options.width, options.ffn));
  out_ = register_module("out", torch::nn::Linear(options.ffn, options.width));
}

torch::Tensor PerceiverLayerImpl::forward(torch::Tensor latents,
                                          const torch::Tensor& x,
                                          const torch::Tensor& key_bias) {
  latents = latents + attention_(attention_norm_(latents), x, key_bias);
  return latents + out_(torch::silu(in_(ffn_norm_(latents))));
}

SpeakerEncoderImpl::SpeakerEncoderImpl(const ModelShape& shape) {
  const std::int64_t width = shape.speaker_width;
  const BlockOptions block{
      .width = width, .heads = shape.speaker_heads, .ffn = shape.speaker_ffn, .context = width};
  first_ = register_module("first",
                           TimeConvolution(TimeConvolutionOptions{
                               .in = shape.mel_bins, .out = width, .kernel = 3, .stride = 2}));
  second_ = register_module(
      "second",
      TimeConvolution(TimeConvolutionOptions{.in = width, .out = width, .kernel = 3, .stride = 2}));
  register_module("blocks", blocks_);
  for (int i = 0; i < shape.speaker_layers; ++i) {
    blocks_->push_back(EncoderBlock(block));
  }
  queries_ = register_parameter("queries", torch::randn({shape.latents, width}));
  nobody_ = register_parameter("nobody", torch::randn({shape.latents, width}));
  register_module("layers", layers_);
  for (int i = 0; i < kPerceiverDepth; ++i) {
    layers_->push_back(PerceiverLayer(block));
  }
  norm_ = register_module("norm", Norm(width));
  if (shape.speakers > 0) {
    table_ = register_module("table", torch::nn::Embedding(shape.speakers, width));
  }
}

torch::Tensor SpeakerEncoderImpl::read_reference(const SpeakerInput& input) {
  const auto options = queries_.options().requires_grad(false);
  SequenceMask mask = make_sequence_mask(input.lengths, input.reference.size(1), options);
  torch::Tensor x = torch::silu(first_(input.reference * mask.valid));  // [B, R / 2, width]
  torch::Tensor lengths = half_lengths(input.lengths);
  mask = make_sequence_mask(lengths, x.size(1), options);
  x = torch::silu(second_(x * mask.valid));  // [B, R / 4, width]
  lengths = half_lengths(lengths);
  mask = make_sequence_mask(lengths, x.size(1), options);
  x = x + sinusoidal_positions(x.size(1), x.size(2), options);
  for (std::size_t i = 0; i < blocks_->size(); ++i) {
    x = blocks_->ptr<EncoderBlockImpl>(i)->forward(x, mask);
  }
  torch::Tensor latents = queries_.unsqueeze(0).expand({x.size(0), -1, -1});
  for (std::size_t i = 0; i < layers_->size(); ++i) {
    latents = layers_->ptr<PerceiverLayerImpl>(i)->forward(latents, x, mask.key_bias);
  }
  return norm_(latents);
}

SpeakerCondition SpeakerEncoderImpl::forward(const SpeakerInput& input) {
  torch::Tensor latents = read_reference(input);
  // A row without a reference has nothing to attend to: what came out of it is dropped.
  const torch::Tensor heard = (input.lengths > 0).to(latents.dtype()).view({-1, 1, 1});
  latents = latents * heard + nobody_ * (1 - heard);
  if (!table_.is_empty() && input.speakers.defined()) {
    const torch::Tensor named = (input.speakers >= 0).to(latents.dtype()).view({-1, 1, 1});
    latents = latents + table_(input.speakers.clamp_min(0)).unsqueeze(1) * named;
  }
  return {latents, latents.mean(1)};
}

}  // namespace qanat
