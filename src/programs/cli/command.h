// One command of the program: its flags and what it does. One file per command; commands.cpp
// lists them all.
#pragma once

#include <memory>
#include <ostream>
#include <stop_token>
#include <string_view>

#include "base/message.h"
#include "cli/exit_code.h"
#include "cli/flags.h"
#include "locale/message_error.h"

namespace qanat {

// What a command is given: results go to `out`, progress and warnings to `err`. `stop` is
// requested by SIGINT, SIGTERM and SIGHUP; a command that sees it saves what it has and returns.
struct CommandContext {
  std::stop_token stop;
  std::ostream& out;
  std::ostream& err;
  Translator words{};  // of the language that was asked for
};

// A line on stderr.
inline void tell(const CommandContext& context, const Message& line) {
  context.err << context.words.tr(line) << '\n';
}

class Command {
 public:
  virtual ~Command() = default;

  // Adds the flags; values land in the command's own fields.
  virtual void declare(Flags& flags) = 0;
  virtual ExitCode run(const CommandContext& context) = 0;
};

struct CommandEntry {
  std::string_view path;  // "data check" is the command `check` in the group `data`
  MessageId summary;
  std::unique_ptr<Command> (*make)();  // null: in the other program (cli/torch_part.h)
};

// The command line asks for something that cannot be: exit code 2 instead of 1.
class UsageError : public MessageError {
 public:
  using MessageError::MessageError;
};

}  // namespace qanat
