// `qanat demo`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_demo_command();

}  // namespace qanat
