// Multi-head attention, of a sequence to itself and to another one.
#pragma once

#include <torch/torch.h>

namespace qanat {

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

}  // namespace qanat
