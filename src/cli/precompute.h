// `qanat precompute`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_precompute_command();

}  // namespace qanat
