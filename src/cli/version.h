// `qanat version`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_version_command();

}  // namespace qanat
