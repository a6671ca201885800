// `qanat validate`: whether the pipeline works here, in five checks.
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_validate_command();

}  // namespace qanat
