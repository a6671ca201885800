// Lines and progress on stderr for work in several stages, one after the other. A line that is said
// meanwhile stands on its own, and the progress goes on below it.
//
//   StageLines lines(context.err);
//   request.say = [&](const std::string& line) { lines.say(line); };
//   request.progress = [&](auto& what, auto& unit) { return lines.start(what, unit); };
#pragma once

#include <mutex>
#include <optional>
#include <ostream>
#include <string>

#include "base/progress.h"
#include "cli/progress_line.h"
#include "cli/terminal.h"

namespace qanat {

// Thread-safe; outlives what start() gives out.
class StageLines {
 public:
  explicit StageLines(std::ostream& err);

  void say(const std::string& line);
  ProgressFn start(const std::string& what, const std::string& unit);
  void finish();

 private:
  std::ostream& err_;
  const Terminal terminal_;
  std::mutex mutex_;  // guards everything below
  ProgressLineOptions options_{.label = ""};
  std::optional<ProgressLine> progress_;
};

}  // namespace qanat
