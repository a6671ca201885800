// `qanat selftest`: whether the tools find faults that are planted on purpose.
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_selftest_command();

}  // namespace qanat
