// The factor that keeps small gradients of fp16 from becoming zero: losses are multiplied by it,
// gradients divided. It grows while updates are finite and is halved by one that is not.
//
// Lives on the device and is never read by the host, so nothing waits for it. (PyTorch's GradScaler
// exists in Python only.) Belongs to one stream: call it from its work only.
#pragma once

#include <cstdint>

#include <torch/types.h>

namespace qanat {

struct LossScaleOptions {
  double first = 65536;
  double growth = 2;
  double backoff = 0.5;
  std::int64_t growth_interval = 2000;  // updates in a row that were made
  double most = 16777216;
};

class LossScale {
 public:
  // `state` is make_state() or what became of it, and is changed in place: a checkpoint keeps it.
  LossScale(const LossScaleOptions& options, const torch::Tensor& state);

  // f32 [2]: the factor, and the updates made since it changed last.
  static torch::Tensor make_state(const LossScaleOptions& options, torch::Device device);

  // f32 []: what a loss is multiplied by now.
  const torch::Tensor& factor() const { return factor_; }
  void unscale(const torch::Tensor& gradient) const;
  // `made` is f32 []: 1 when the update was made, 0 when it was skipped because its gradient was
  // not finite.
  void update(const torch::Tensor& made);

 private:
  const LossScaleOptions options_;
  torch::Tensor factor_;    // f32 [], view of the state
  torch::Tensor in_a_row_;  // f32 [], view of the state
};

}  // namespace qanat
