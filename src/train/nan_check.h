// Finds out where a run diverges: names the first stage, or the operation of the backward pass,
// whose result holds NaN. Slow; off unless asked for.
#pragma once

#include <optional>
#include <string_view>

#include <torch/torch.h>

#include "base/error.h"

namespace qanat {

class NanCheck {
 public:
  explicit NanCheck(bool on) {
    if (on) {
      // Forward as well: what is recorded there names the operations of the backward pass.
      anomalies_.emplace();
    }
  }

  // Throws Error naming `what`.
  void require_none(std::string_view what, const torch::Tensor& values) const {
    if (anomalies_ && values.defined() && values.isnan().any().item<bool>()) {
      throw Error(
          "{}: holds NaN (found by --enable-eager-debug); try a lower --lr, or "
          "--no-mixed-precision",
          what);
    }
  }

 private:
  std::optional<torch::autograd::DetectAnomalyGuard> anomalies_;
};

}  // namespace qanat
