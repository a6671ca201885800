// One command of the program: its flags and what it does. One file per command; commands.cpp
// lists them all.
#pragma once

#include <memory>
#include <ostream>
#include <stop_token>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/exit_code.h"

namespace qanat {

// What a command is given: results go to `out`, progress and warnings to `err`. `stop` is
// requested by SIGINT, SIGTERM and SIGHUP; a command that sees it saves what it has and returns.
struct CommandContext {
  std::stop_token stop;
  std::ostream& out;
  std::ostream& err;
};

class Command {
 public:
  virtual ~Command() = default;

  // Adds the flags; values land in the command's own fields.
  virtual void declare(CLI::App& app) = 0;
  virtual ExitCode run(const CommandContext& context) = 0;
};

struct CommandEntry {
  std::string_view path;  // "data check" is the command `check` in the group `data`
  std::string_view summary;
  std::unique_ptr<Command> (*make)();  // null: in the other program (cli/torch_part.h)
};

// A bound that the help line already states: not repeated beside the flag.
inline CLI::Validator within(CLI::Validator validator) {
  return validator.description("");
}

}  // namespace qanat
