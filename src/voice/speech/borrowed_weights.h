// A network whose parameters are tensors that are there already, such as those of a mapped file.
#pragma once

#include <string>

#include "checkpoint/safetensors.h"

namespace qanat {

// Without a copy where the tensors are single precision and contiguous. Not for training: nothing
// may write to them. Throws Error when a name is missing, unknown or of another shape; `what` names
// the tensors in its message.
void borrow_weights(torch::nn::Module& network, const TensorMap& values, const std::string& what);

}  // namespace qanat
