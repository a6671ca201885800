// `qanat align`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_align_command();

}  // namespace qanat
