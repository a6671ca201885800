// Shell completion scripts from the command tree: commands, flags, and files where a value is one.
#pragma once

#include <string>
#include <vector>

#include "cli/command_tree.h"

namespace qanat {

std::string bash_completion(const std::vector<CommandFacts>& commands);
std::string zsh_completion(const std::vector<CommandFacts>& commands);
std::string fish_completion(const std::vector<CommandFacts>& commands);

}  // namespace qanat
