// The language of reports: --lang, else the environment's, else English.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "base/language.h"
#include "cli/terminal.h"

namespace qanat {

// Adds --lang; `code` is its value, empty when it was not given. Returns the flag, for commands
// that have more to say about it.
CLI::Option* declare_language(CLI::App& app, std::string& code);

Language report_language(const std::string& code);

// The rules of report_language(), on an environment handed in: LC_ALL, LC_MESSAGES, LANG, the
// first that is not empty; Persian when it begins with fa.
Language report_language(const std::string& code, const EnvironmentLookup& environment);

}  // namespace qanat
