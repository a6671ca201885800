// The commands that need libtorch, made: what is in qanat-torch.
#pragma once

#include <vector>

#include "cli/command.h"

namespace qanat {

// all_commands() with none missing. Throws Error naming one that is listed and not made anywhere.
std::vector<CommandEntry> complete_commands();

}  // namespace qanat
