// `qanat synth`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_synth_command();

}  // namespace qanat
