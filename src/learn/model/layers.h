// The layers every part of the model is made of. All sequences are [batch, positions, channels].
#pragma once

#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/torch.h>

namespace qanat {

struct TimeConvolutionOptions {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t kernel = 1;  // odd
  std::int64_t stride = 1;
};

// Convolution along time that pads with zeros on both sides: ceil(positions / stride) come out.
// Channels stay innermost in memory, so there is no transposition around it.
class TimeConvolutionImpl : public torch::nn::Module {
 public:
  explicit TimeConvolutionImpl(const TimeConvolutionOptions& options);
  torch::Tensor forward(const torch::Tensor& x);  // [B, T, in] -> [B, ceil(T / stride), out]

 private:
  std::int64_t padding_;
  std::int64_t stride_;
  torch::Tensor weight_;  // [out, in, kernel]
  torch::Tensor bias_;    // [out]
};
TORCH_MODULE(TimeConvolution);

// Layer normalisation of the channels of each position, in the type of its weights: libtorch's own
// cannot read bf16 on CPUs when its weights are f32.
class NormImpl : public torch::nn::Module {
 public:
  explicit NormImpl(std::int64_t channels);
  torch::Tensor forward(const torch::Tensor& x);  // [B, T, channels]

 private:
  torch::Tensor weight_;  // [channels]
  torch::Tensor bias_;    // [channels]
};
TORCH_MODULE(Norm);

// Sines and cosines of the position: [positions, channels].
torch::Tensor sinusoidal_positions(std::int64_t positions,
                                   std::int64_t channels,
                                   const torch::TensorOptions& options);

// Which positions of a padded batch are real; made once per batch and sequence. Value of plain
// tensors.
struct SequenceMask {
  torch::Tensor valid;     // [B, T, 1] of the network's type: 1 real, 0 padding
  torch::Tensor key_bias;  // [B, 1, T]: 0 real, -1e4 padding: added to attention scores
};

// lengths: i64 [B].
SequenceMask make_sequence_mask(const torch::Tensor& lengths,
                                std::int64_t positions,
                                const torch::TensorOptions& options);

// Turns autocast off on the calling thread, while the scope lasts: for what would not survive
// sixteen bits.
class SinglePrecision {
 private:
  // As libtorch does it inside of operations that it has cast the arguments of.
  const c10::impl::ExcludeDispatchKeyGuard without_{c10::autocast_dispatch_keyset};
};

}  // namespace qanat
