// `qanat devices`: what there is to run on.
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_devices_command();

}  // namespace qanat
