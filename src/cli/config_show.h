// `qanat config show`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_config_show_command();

}  // namespace qanat
