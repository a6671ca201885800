// Manual pages from the command tree: the troff source of qanat(1) and of qanat-COMMAND(1).
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace qanat {

// "qanat.1", "qanat-data-check.1"
std::string manual_page_name(const CommandFacts& command);
std::string manual_page(const CommandFacts& command,
                        const std::vector<CommandFacts>& all,
                        const Translator& words);

}  // namespace qanat
