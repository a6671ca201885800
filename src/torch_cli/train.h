// `qanat train`.
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_train_command();

}  // namespace qanat
