// `qanat rules`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_rules_command();

}  // namespace qanat
