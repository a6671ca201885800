#include "cli/stage_lines.h"

#include <unistd.h>

namespace qanat {

StageLines::StageLines(std::ostream& err) : err_(err), terminal_(detect_terminal(STDERR_FILENO)) {}

void StageLines::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (progress_) {
    progress_->finish();
  }
  err_ << line << '\n' << std::flush;
  if (progress_) {
    progress_.emplace(err_, terminal_, options_);
  }
}

ProgressFn StageLines::start(const std::string& what, const std::string& unit) {
  const std::lock_guard lock(mutex_);
  options_ = {.label = what, .unit = unit};
  progress_.emplace(err_, terminal_, options_);
  return [this](std::int64_t done, std::int64_t total) {
    const std::lock_guard one_at_a_time(mutex_);
    if (progress_) {
      progress_->update(done, total);
    }
  };
}

void StageLines::finish() {
  const std::lock_guard lock(mutex_);
  progress_.reset();
}

}  // namespace qanat
