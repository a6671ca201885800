#include "train/nan_check.h"

#include "locale/message_error.h"
#include "locale/messages/training.h"

namespace qanat {

NanCheck::NanCheck(bool on) {
  if (on) {
    // Forward as well: what is recorded there names the operations of the backward pass.
    anomalies_.emplace();
  }
}

void NanCheck::require_none(std::string_view what, const torch::Tensor& values) const {
  if (anomalies_ && values.defined() && values.isnan().any().item<bool>()) {
    throw MessageError(msg::train_found_nan{.what = what});
  }
}

}  // namespace qanat
