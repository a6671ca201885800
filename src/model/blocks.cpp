#include "model/blocks.h"

namespace qanat {

ConvFeedForwardImpl::ConvFeedForwardImpl(std::int64_t width, std::int64_t inner) {
  in_ = register_module(
      "in", TimeConvolution(TimeConvolutionOptions{.in = width, .out = inner, .kernel = 3}));
  out_ = register_module(
      "out", TimeConvolution(TimeConvolutionOptions{.in = inner, .out = width, .kernel = 3}));
}

torch::Tensor ConvFeedForwardImpl::forward(const torch::Tensor& x, const torch::Tensor& valid) {
  // A convolution sees its neighbours: they are zero wherever they are padding.
  return out_(torch::silu(in_(x * valid)) * valid);
}

EncoderBlockImpl::EncoderBlockImpl(const BlockOptions& options) {
  attention_norm_ = register_module("attention_norm", Norm(options.width));
  attention_ = register_module("attention", SelfAttention(options.width, options.heads));
  ffn_norm_ = register_module("ffn_norm", Norm(options.width));
  ffn_ = register_module("ffn", ConvFeedForward(options.width, options.ffn));
}

torch::Tensor EncoderBlockImpl::forward(torch::Tensor x, const SequenceMask& mask) {
  x = x + attention_(attention_norm_(x), mask.key_bias);
  return x + ffn_(ffn_norm_(x), mask.valid);
}

DecoderBlockImpl::DecoderBlockImpl(const BlockOptions& options) {
  attention_norm_ = register_module("attention_norm", Norm(options.width));
  attention_ = register_module("attention", SelfAttention(options.width, options.heads));
  context_norm_ = register_module("context_norm", Norm(options.width));
  context_attention_ = register_module(
      "context_attention",
      CrossAttention(CrossAttentionOptions{
          .width = options.width, .context = options.context, .heads = options.heads}));
  ffn_norm_ = register_module("ffn_norm", Norm(options.width));
  ffn_ = register_module("ffn", ConvFeedForward(options.width, options.ffn));
}

torch::Tensor DecoderBlockImpl::forward(torch::Tensor x,
                                        const SequenceMask& mask,
                                        const torch::Tensor& context) {
  x = x + attention_(attention_norm_(x), mask.key_bias);
  x = x + context_attention_(context_norm_(x), context, torch::Tensor());
  return x + ffn_(ffn_norm_(x), mask.valid);
}

}  // namespace qanat
