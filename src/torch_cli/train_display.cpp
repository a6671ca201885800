#include "torch_cli/train_display.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cli/terminal_text.h"

namespace qanat {
namespace {

constexpr std::size_t kRecentSteps = 50;
constexpr Seconds kRewriteEvery{0.1};
constexpr Seconds kLogEvery{10};

}  // namespace

std::string to_text(const TrainLine& line) {
  std::string text = fmt::format(
      "step {}/{}  epoch {}  loss {:.4f}  {:.2f} steps/s  data wait "
      "{:.1f}%  busy {:.1f}%",
      line.step,
      line.last_step,
      line.epoch,
      line.loss,
      line.steps_per_second,
      100 * line.wait_share,
      100 * line.busy_share);
  if (line.steps_per_second > 0) {
    text += fmt::format(
        "  ETA {}",
        clock_text(std::llround(std::max(
            0.0, static_cast<double>(line.last_step - line.step) / line.steps_per_second))));
  }
  return text;
}

TrainDisplay::TrainDisplay(std::ostream& out, const Terminal& terminal, TrainDisplayOptions options)
    : out_(out), terminal_(terminal), options_(std::move(options)) {}

TrainDisplay::~TrainDisplay() {
  finish();
}

void TrainDisplay::clear() {
  if (std::exchange(is_open_, false)) {
    out_ << Control{"\r\x1b[K"};
  }
}

void TrainDisplay::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  clear();
  out_ << line << '\n' << std::flush;
}

void TrainDisplay::start(std::int64_t /*first_step*/, std::int64_t last_step) {
  const std::lock_guard lock(mutex_);
  last_step_ = last_step;
}

void TrainDisplay::on_note(const std::string& note) {
  say("note: " + note);
}

void TrainDisplay::on_step(const StepRecord& record) {
  const std::lock_guard lock(mutex_);
  recent_.push_back(record.phases);
  if (recent_.size() > kRecentSteps) {
    recent_.pop_front();
  }
  sums_ += record.phases;
  last_loss_ = record.losses.total;
  pending_ = to_text(line(record));
  const Clock::time_point now = options_.now();
  if (is_due(record.step + 1, now)) {
    shown_at_ = now;
    show(std::exchange(pending_, std::string()));
  }
}

bool TrainDisplay::is_due(std::int64_t step, Clock::time_point now) const {
  if (!terminal_.interactive && options_.log_every) {
    return step % *options_.log_every == 0;
  }
  const Seconds pause = terminal_.interactive ? kRewriteEvery : kLogEvery;
  return !shown_at_ || Seconds(now - *shown_at_) >= pause;
}

TrainLine TrainDisplay::line(const StepRecord& newest) const {
  StepPhases sum;
  for (const StepPhases& phases : recent_) {
    sum += phases;
  }
  const double wall = std::max(1e-9, sum.total().count());
  return {.step = newest.step + 1,
          .last_step = last_step_,
          .epoch = newest.epoch,
          .loss = newest.losses.total,
          .steps_per_second = static_cast<double>(recent_.size()) / wall,
          .wait_share = (sum.wait + sum.transfer).count() / wall,
          .busy_share = sum.busy().count() / wall};
}

void TrainDisplay::show(const std::string& text) {
  if (!terminal_.interactive) {
    out_ << text << '\n' << std::flush;
    return;
  }
  const auto room = static_cast<std::size_t>(std::max(1, terminal_.width - 1));
  out_ << Control{"\r\x1b[K"} << text.substr(0, room) << std::flush;
  is_open_ = true;
}

void TrainDisplay::on_validation(std::int64_t step, const ValidationResult& result, bool best) {
  std::string text = fmt::format(
      "validation at step {}: loss {:.4f}, mel {:.4f}", step, result.score(), result.losses.mel);
  if (result.free_running) {
    text += fmt::format("; speaking freely: mel {:.4f}, length off by {:.1f}%",
                        result.free_running->mel_distance,
                        100 * result.free_running->length_error);
  }
  say(text + (best ? " (best so far)" : ""));
}

void TrainDisplay::finish() {
  const std::lock_guard lock(mutex_);
  if (!pending_.empty()) {
    show(std::exchange(pending_, std::string()));
  }
  if (std::exchange(is_open_, false)) {
    out_ << '\n' << std::flush;
  }
}

}  // namespace qanat
