// Says on stderr how far long work is: one rewritten line on a terminal, a line now and then in a
// log. Silent when the work is over within two seconds.
//
//   ProgressLine progress(context, msg::progress_aligning{});
//   build_index(manifest, sources, {.progress = progress.fn()});
//   progress.finish();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>

#include "base/message.h"
#include "base/progress.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "locale/messages/command_output.h"
#include "locale/translator.h"

namespace qanat {

struct ProgressLineOptions {
  MessageArg label;
  MessageArg unit = msg::progress_utterances{};
  Translator words{};
  std::function<Clock::time_point()> now = Clock::now;
};

// Fixture. All methods and the functions from fn() may be called from any thread. Nothing is
// written after finish(); the destructor finishes. A function from fn() may outlive the line.
class ProgressLine {
 public:
  // On the stderr of a command, in its language.
  ProgressLine(const CommandContext& context,
               const Message& label,
               const Message& unit = msg::progress_utterances{});
  ProgressLine(std::ostream& out, const Terminal& terminal, ProgressLineOptions options);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  ProgressFn fn();
  void update(std::int64_t done, std::int64_t total);
  // Leaves one line that says what was done, if the work was long enough to be shown at all.
  void finish();

 private:
  class State;
  std::shared_ptr<State> state_;  // shared with the functions that fn() gave out
};

// The words of the line, apart from when and where they are shown.
struct ProgressFacts {
  MessageArg label;
  MessageArg unit;
  Translator words{};
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0: unknown
  // The first report: what was done before it counts for no rate, so resumed work shows its own.
  std::int64_t first = 0;
  Seconds first_elapsed{0};
  Seconds elapsed{0};
};
std::string running_text(const ProgressFacts& facts, const Terminal& terminal);
std::string finished_text(const ProgressFacts& facts);

// Lines and progress on stderr for work in several stages, one after the other. A line that is said
// meanwhile stands on its own, and the progress continues below it.
//
//   StageLines lines(context);
//   request.say = lines.say_fn();
//   request.progress = lines.start_fn();
//
// Thread-safe; outlives what its methods give out.
class StageLines {
 public:
  explicit StageLines(const CommandContext& context) : context_(context) {}

  void say(const MessageArg& line);
  SayFn say_fn();
  ProgressFn start(const Message& what, const Message& unit);
  StartProgressFn start_fn();
  void finish();

 private:
  const CommandContext& context_;
  std::mutex mutex_;  // guards everything below
  Message what_;
  Message unit_;
  std::optional<ProgressLine> progress_;
};

}  // namespace qanat
