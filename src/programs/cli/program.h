// The command line: reads it, runs the command that was asked for, and turns what went wrong into
// messages and exit codes.
#pragma once

#include <vector>

#include "cli/command.h"

namespace qanat {

// The language that the arguments, or else the environment, ask for.
Translator asked_words(int argc, const char* const* argv);

// Called once, first thing in main. A command of the list that is not made here is looked for in
// the other program (cli/torch_part.h). Returns the exit code.
int run_program(const std::vector<CommandEntry>& commands, int argc, char** argv);

}  // namespace qanat
