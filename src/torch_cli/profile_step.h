// `qanat profile step`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_profile_step_command();

}  // namespace qanat
