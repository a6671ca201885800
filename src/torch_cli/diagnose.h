// `qanat diagnose`: what is wrong with this machine, configuration and data set, what it costs and
// what to change.
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_diagnose_command();

}  // namespace qanat
