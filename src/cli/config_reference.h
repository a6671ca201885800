// `qanat config reference`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_config_reference_command();

}  // namespace qanat
