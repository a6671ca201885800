// `qanat analyze DIR`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_analyze_command();

}  // namespace qanat
