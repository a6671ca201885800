#include "model/blocks.h"

#include <cmath>
#include <vector>

namespace qanat {
namespace {

// [B, T, parts * width] to `parts` tensors [B * heads, T, width / heads].
std::vector<torch::Tensor> split_heads(const torch::Tensor& x,
                                       std::int64_t parts,
                                       std::int64_t heads) {
  const std::int64_t batch = x.size(0), positions = x.size(1);
  const std::int64_t head_width = x.size(2) / (parts * heads);
  return x.view({batch, positions, parts, heads, head_width})
      .permute({2, 0, 3, 1, 4})
      .reshape({parts, batch * heads, positions, head_width})
      .unbind(0);
}

// q: [B * heads, T, D], k and v: [B * heads, S, D] -> [B, T, heads * D].
torch::Tensor attend(const torch::Tensor& q,
                     const torch::Tensor& k,
                     const torch::Tensor& v,
                     const torch::Tensor& key_bias,
                     std::int64_t heads) {
  const std::int64_t batch = q.size(0) / heads, positions = q.size(1), keys = k.size(1);
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(2)));
  torch::Tensor scores;  // [B * heads, T, S]
  if (key_bias.defined()) {
    const torch::Tensor bias = key_bias.unsqueeze(1).expand({batch, heads, 1, keys});
    scores = torch::baddbmm(
        bias.reshape({batch * heads, 1, keys}), q, k.transpose(1, 2), /*beta=*/1, scale);
  } else {
    scores = torch::bmm(q * scale, k.transpose(1, 2));
  }
  const torch::Tensor mixed = torch::bmm(torch::softmax(scores, -1), v);
  return mixed.view({batch, heads, positions, -1}).transpose(1, 2).flatten(2);
}

}  // namespace

SelfAttentionImpl::SelfAttentionImpl(std::int64_t width, std::int64_t heads) : heads_(heads) {
  queries_keys_values_ =
      register_module("queries_keys_values", torch::nn::Linear(width, 3 * width));
  out_ = register_module("out", torch::nn::Linear(width, width));
}

torch::Tensor SelfAttentionImpl::forward(const torch::Tensor& x, const torch::Tensor& key_bias) {
  const std::vector<torch::Tensor> parts = split_heads(queries_keys_values_(x), 3, heads_);
  return out_(attend(parts[0], parts[1], parts[2], key_bias, heads_));
}

CrossAttentionImpl::CrossAttentionImpl(const CrossAttentionOptions& options)
    : heads_(options.heads) {
  const std::int64_t width = options.width;
  queries_ = register_module("queries", torch::nn::Linear(width, width));
  keys_values_ = register_module("keys_values", torch::nn::Linear(options.context, 2 * width));
  out_ = register_module("out", torch::nn::Linear(width, width));
}

torch::Tensor CrossAttentionImpl::forward(const torch::Tensor& x,
                                          const torch::Tensor& context,
                                          const torch::Tensor& key_bias) {
  const torch::Tensor queries = split_heads(queries_(x), 1, heads_)[0];
  const std::vector<torch::Tensor> parts = split_heads(keys_values_(context), 2, heads_);
  return out_(attend(queries, parts[0], parts[1], key_bias, heads_));
}

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
