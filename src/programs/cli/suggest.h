// What to tell someone whose command line could not be read.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "base/message.h"

namespace qanat {

// One line: what was not understood, what was probably meant, where to look. `root` has just
// thrown `error` from parse().
Message explain_usage_error(const CLI::App& root, const CLI::ParseError& error);

// The command that was reached: the program itself, a group, or a command.
const CLI::App& reached_command(const CLI::App& root);

// "qanat data check"
std::string command_path(const CLI::App& app);

}  // namespace qanat
