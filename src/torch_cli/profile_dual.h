// `qanat profile dual`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_profile_dual_command();

}  // namespace qanat
