// Residual blocks of attention and convolutional feed-forward layers, normalised at their entrance.
//
// Positions that are padding hold arbitrary finite values and never reach one that is real.
#pragma once

#include "model/layers.h"

namespace qanat {

// Multi-head attention, of a sequence to itself and to another one.
//
// key_bias: [B, 1, T] as of SequenceMask, or undefined when every key is real.
class SelfAttentionImpl : public torch::nn::Module {
 public:
  SelfAttentionImpl(std::int64_t width, std::int64_t heads);
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& key_bias);  // [B, T, width]

 private:
  std::int64_t heads_;
  torch::nn::Linear queries_keys_values_{nullptr};
  torch::nn::Linear out_{nullptr};
};
TORCH_MODULE(SelfAttention);

struct CrossAttentionOptions {
  std::int64_t width = 0;    // of the queries and the result
  std::int64_t context = 0;  // width of what is attended to
  std::int64_t heads = 0;
};

class CrossAttentionImpl : public torch::nn::Module {
 public:
  explicit CrossAttentionImpl(const CrossAttentionOptions& options);
  // x: [B, T, width], context: [B, S, context width], key_bias: [B, 1, S] or undefined.
  torch::Tensor forward(const torch::Tensor& x,
                        const torch::Tensor& context,
                        const torch::Tensor& key_bias);

 private:
  std::int64_t heads_;
  torch::nn::Linear queries_{nullptr};
  torch::nn::Linear keys_values_{nullptr};
  torch::nn::Linear out_{nullptr};
};
TORCH_MODULE(CrossAttention);

// Two convolutions of kernel 3 with SiLU between. (Not GELU: the gradient of its exact form is
// wrong on CPUs in libtorch 1.13 when what comes back to it is not contiguous.)
class ConvFeedForwardImpl : public torch::nn::Module {
 public:
  ConvFeedForwardImpl(std::int64_t width, std::int64_t inner);
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& valid);  // [B, T, width]

 private:
  TimeConvolution in_{nullptr};
  TimeConvolution out_{nullptr};
};
TORCH_MODULE(ConvFeedForward);

struct BlockOptions {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t ffn = 0;
  std::int64_t context = 0;  // width of what a decoder block attends to
};

// x + attention, + feed-forward.
class EncoderBlockImpl : public torch::nn::Module {
 public:
  explicit EncoderBlockImpl(const BlockOptions& options);
  torch::Tensor forward(torch::Tensor x, const SequenceMask& mask);  // [B, T, width]

 private:
  Norm attention_norm_{nullptr};
  SelfAttention attention_{nullptr};
  Norm ffn_norm_{nullptr};
  ConvFeedForward ffn_{nullptr};
};
TORCH_MODULE(EncoderBlock);

// x + attention to itself, + attention to a context, + feed-forward.
class DecoderBlockImpl : public torch::nn::Module {
 public:
  explicit DecoderBlockImpl(const BlockOptions& options);
  // x: [B, T, width], context: [B, S, context width], all of it real.
  torch::Tensor forward(torch::Tensor x, const SequenceMask& mask, const torch::Tensor& context);

 private:
  Norm attention_norm_{nullptr};
  SelfAttention attention_{nullptr};
  Norm context_norm_{nullptr};
  CrossAttention context_attention_{nullptr};
  Norm ffn_norm_{nullptr};
  ConvFeedForward ffn_{nullptr};
};
TORCH_MODULE(DecoderBlock);

}  // namespace qanat
