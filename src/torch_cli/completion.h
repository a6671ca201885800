#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_completion_command();
std::unique_ptr<Command> make_manual_command();

}  // namespace qanat
