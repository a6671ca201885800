// AdamW on flat parameters, with clipping by the global norm, and the EMA of the weights.
//
// Both belong to one stream: call them from its work only. Neither waits for the device.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <torch/torch.h>

#include "train/flat_parameters.h"

namespace qanat {

// How an update is computed: by the same formula, so results differ by rounding only.
enum class AdamKernel {
  automatic,  // native loops on the CPU; elsewhere libtorch's fused kernel, where it has one
  tensor_operations,  // a dozen passes over the parameters, on any device and with any libtorch
  fused,              // one pass; as automatic where this libtorch has no such kernel
};
// Whether this libtorch has it.
bool has_fused_adam();

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double weight_decay = 0.01;  // of matrices only
  double gradient_clip = 1.0;  // largest norm; 0: none
  AdamKernel kernel = AdamKernel::automatic;
  // Parameters that stay as they are, by name: their gradients count as zero, also in the norm, and
  // nothing decays. Absent: none.
  FlatParameters::IsWanted frozen{};
};

class AdamW {
 public:
  AdamW(FlatParameters layout, const AdamWOptions& options, torch::Device device);

  // One update of `weights` with `gradient` / `divisor`; both are blocks of the layout, and what is
  // frozen of the gradient becomes zero. Returns f32
  // [2] on the device: the norm of the gradient after division and before clipping, and 1 when
  // the update was made, 0 when it was skipped because the norm is not finite.
  torch::Tensor update(const torch::Tensor& weights,
                       const torch::Tensor& gradient,
                       double divisor,
                       double learning_rate);

  // "first.<parameter>", "second.<parameter>" and "updates", f64 [1]: views of what `copy` makes of
  // the three blocks that hold them.
  TensorMap state(const std::function<torch::Tensor(const torch::Tensor&)>& copy) const;
  // Throws Error when it is not the state of an optimiser for the same parameters.
  void load_state(const TensorMap& state);

 private:
  torch::Tensor update_on_host(const torch::Tensor& weights,
                               const torch::Tensor& gradient,
                               double divisor,
                               double learning_rate);
  torch::Tensor update_on_device(const torch::Tensor& weights,
                                 const torch::Tensor& gradient,
                                 double divisor,
                                 double learning_rate);
  torch::Tensor update_fused(const torch::Tensor& weights,
                             const torch::Tensor& gradient,
                             double divisor,
                             double learning_rate);

  // Spans hold matrices, which are decayed, or vectors.
  bool is_decayed(const FlatParameters::Span& span) const {
    return span.first < layout_.num_decayed();
  }

  const FlatParameters layout_;
  const AdamWOptions options_;
  std::vector<FlatParameters::Span> trained_;  // what changes; two spans when nothing is frozen
  std::vector<FlatParameters::Span> frozen_;
  torch::Tensor first_;    // f32 [layout size]
  torch::Tensor second_;   // f32 [layout size]
  torch::Tensor updates_;  // f64 [1]: made, on the device, because only it knows which were not
};

// Updates the exponential moving average (EMA) of the weights, which is validated, rendered and
// exported. The decay is smaller early on, or the EMA of a short run would still contain the random
// start: after t updates it is min(decay, (1 + t) / (10 + t)).
void ema_update(const torch::Tensor& ema,
                const torch::Tensor& weights,
                double decay,
                std::int64_t updates);

}  // namespace qanat
