// `qanat top JOURNAL`: a running or finished run in the terminal, or as a live page.
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_top_command();

}  // namespace qanat
