#include "speech/borrowed_weights.h"

#include "locale/message_error.h"
#include "locale/messages/training.h"

namespace qanat {

void borrow_weights(torch::nn::Module& network, const TensorMap& values, const std::string& what) {
  auto parameters = network.named_parameters();
  for (auto& parameter : parameters) {
    const auto found = values.find(parameter.key());
    if (found == values.end()) {
      throw MessageError(msg::weights_missing{
          .what = what, .tensor = parameter.key(), .expected = parameters.size()});
    }
    if (found->second.sizes() != parameter.value().sizes()) {
      throw MessageError(msg::weights_other_shape{.what = what,
                                                  .tensor = parameter.key(),
                                                  .shape = c10::str(found->second.sizes()),
                                                  .expected = c10::str(parameter.value().sizes())});
    }
    parameter.value().set_requires_grad(false);
    parameter.value().set_data(
        found->second.detach().to(torch::kCPU, torch::kFloat32).contiguous());
  }
  if (values.size() != parameters.size()) {
    throw MessageError(msg::weights_other_count{
        .what = what, .tensors = values.size(), .expected = parameters.size()});
  }
}

}  // namespace qanat
