// `qanat data check DIR`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_data_check_command();

}  // namespace qanat
