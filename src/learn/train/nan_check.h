// Finds out where a run diverges: names the first stage, or the operation of the backward pass,
// whose result holds NaN. Slow; off unless asked for.
#pragma once

#include <optional>
#include <string_view>

#include <torch/torch.h>

namespace qanat {

class NanCheck {
 public:
  explicit NanCheck(bool on);

  // Throws Error naming `what`.
  void require_none(std::string_view what, const torch::Tensor& values) const;

 private:
  std::optional<torch::autograd::DetectAnomalyGuard> anomalies_;
};

}  // namespace qanat
