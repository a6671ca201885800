#include "model/text_encoder.h"

namespace qanat {

namespace {

constexpr int kConvolutions = 3;

}  // namespace

TextEncoderImpl::TextEncoderImpl(const ModelShape& shape) {
  const std::int64_t width = shape.text_width;
  embedding_ = register_module("embedding", torch::nn::Embedding(shape.vocabulary, width));
  register_module("convolutions", convolutions_);
  register_module("norms", norms_);
  for (int i = 0; i < kConvolutions; ++i) {
    convolutions_->push_back(
        TimeConvolution(TimeConvolutionOptions{.in = width, .out = width, .kernel = 5}));
    norms_->push_back(Norm(width));
  }
  speaker_ = register_module("speaker", torch::nn::Linear(shape.speaker_width, width));
  register_module("blocks", blocks_);
  for (int i = 0; i < shape.text_layers; ++i) {
    blocks_->push_back(EncoderBlock(
        BlockOptions{.width = width, .heads = shape.text_heads, .ffn = shape.text_ffn}));
  }
  norm_ = register_module("norm", Norm(width));
}

torch::Tensor TextEncoderImpl::embed(const torch::Tensor& tokens) {
  return embedding_(tokens);
}

torch::Tensor TextEncoderImpl::forward(const torch::Tensor& embedded,
                                       const torch::Tensor& speaker,
                                       const SequenceMask& mask) {
  torch::Tensor x = embedded;
  for (std::size_t i = 0; i < convolutions_->size(); ++i) {
    const torch::Tensor y = convolutions_->ptr<TimeConvolutionImpl>(i)->forward(x * mask.valid);
    x = x + torch::silu(norms_->ptr<NormImpl>(i)->forward(y));
  }
  x = x + speaker_(speaker).unsqueeze(1) +
      sinusoidal_positions(x.size(1), x.size(2), mask.valid.options());
  for (std::size_t i = 0; i < blocks_->size(); ++i) {
    x = blocks_->ptr<EncoderBlockImpl>(i)->forward(x, mask);
  }
  return norm_(x);
}

}  // namespace qanat
