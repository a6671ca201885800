// Shows a training run on stderr: one rewritten line on a terminal, a line now and then in a log.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>

#include "base/message.h"
#include "base/time.h"
#include "cli/terminal.h"
#include "locale/translator.h"
#include "train/train_observer.h"

namespace qanat {

// The numbers of the line. Rates and shares are over the last steps.
struct TrainLine {
  std::int64_t step = 0;  // done
  std::int64_t last_step = 0;
  std::int64_t epoch = 0;
  double loss = 0;
  double steps_per_second = 0;
  double wait_share = 0;
  double busy_share = 0;
};
std::string to_text(const TrainLine& line, const Translator& words = Translator());

struct TrainDisplayOptions {
  std::optional<std::int64_t> log_every{};  // steps; absent: by time
  Translator words{};
  std::function<Clock::time_point()> now = Clock::now;
};

// Fixture, for one thread; say() and on_note() for any.
class TrainDisplay : public TrainObserver {
 public:
  TrainDisplay(std::ostream& out, const Terminal& terminal, TrainDisplayOptions options);
  TrainDisplay(const TrainDisplay&) = delete;
  TrainDisplay& operator=(const TrainDisplay&) = delete;
  ~TrainDisplay() override;

  void say(const MessageArg& line);
  void start(std::int64_t first_step, std::int64_t last_step);
  // Leaves the last line standing.
  void finish();

  void on_note(const MessageArg& note) override;
  void on_step(const StepRecord& record) override;
  void on_validation(const ValidationDone& done, const TrainProgress& progress) override;

  // The summary shows these; they cover all steps.
  std::optional<double> last_loss() const { return last_loss_; }
  const StepPhases& sums() const { return sums_; }

 private:
  TrainLine line(const StepRecord& newest) const;
  bool is_due(std::int64_t step, Clock::time_point now) const;
  void show(const std::string& text);
  void clear();

  std::mutex mutex_;  // guards everything below
  std::ostream& out_;
  const Terminal terminal_;
  const TrainDisplayOptions options_;
  std::int64_t last_step_ = 0;
  std::deque<StepPhases> recent_;
  std::optional<Clock::time_point> shown_at_;
  std::optional<double> last_loss_;
  StepPhases sums_;
  std::string pending_;   // newest line that was not shown
  bool is_open_ = false;  // a line stands on the terminal that will be rewritten
};

}  // namespace qanat
