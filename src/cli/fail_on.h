// --fail-on: which findings make a command end with 10.
#pragma once

#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/exit_code.h"
#include "diagnose/finding.h"

namespace qanat {

// Adds --fail-on; `when` is its value: crit, warn or never.
void declare_fail_on(CLI::App& app, std::string& when);

// findings when there is one that is at least as severe, else done.
ExitCode exit_code_for(std::span<const Finding> findings, const std::string& when);

}  // namespace qanat
