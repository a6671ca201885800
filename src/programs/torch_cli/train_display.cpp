#include "torch_cli/train_display.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/terminal_text.h"
#include "cli/top_view.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

constexpr std::size_t kRecentSteps = 50;
constexpr Seconds kRewriteEvery{0.1};
constexpr Seconds kLogEvery{10};

}  // namespace

std::string to_text(const TrainLine& line, const Translator& words) {
  const auto whole = [](std::int64_t value) { return plain(static_cast<double>(value), 0); };
  const std::string text = words.tr(msg::train_line{.step = whole(line.step),
                                                    .last = whole(line.last_step),
                                                    .epoch = whole(line.epoch),
                                                    .loss = plain(line.loss, 4),
                                                    .rate = plain(line.steps_per_second, 2),
                                                    .wait = plain(100 * line.wait_share, 1),
                                                    .busy = plain(100 * line.busy_share, 1)});
  if (line.steps_per_second <= 0) {
    return text;
  }
  const double left = static_cast<double>(line.last_step - line.step) / line.steps_per_second;
  return text + "  " +
         words.tr(msg::train_eta{.time = words.clock(Seconds(std::round(std::max(0.0, left))))});
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

void TrainDisplay::say(const MessageArg& line) {
  const std::lock_guard lock(mutex_);
  clear();
  out_ << options_.words.said(line) << '\n' << std::flush;
}

void TrainDisplay::start(std::int64_t /*first_step*/, std::int64_t last_step) {
  const std::lock_guard lock(mutex_);
  last_step_ = last_step;
}

void TrainDisplay::on_note(const MessageArg& note) {
  say(msg::note{.text = note});
}

void TrainDisplay::on_step(const StepRecord& record) {
  const std::lock_guard lock(mutex_);
  recent_.push_back(record.phases);
  if (recent_.size() > kRecentSteps) {
    recent_.pop_front();
  }
  sums_ += record.phases;
  last_loss_ = record.losses.total;
  pending_ = to_text(line(record), options_.words);
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
  out_ << Control{"\r\x1b[K"} << cut_to_width(text, std::max(1, terminal_.width - 1)) << std::flush;
  is_open_ = true;
}

// What decides which checkpoint is best stands beside the word, however the other values moved.
void TrainDisplay::on_validation(const ValidationDone& done, const TrainProgress& progress) {
  const ValidationResult& result = done.result;
  Message text = msg::train_validation{
      .step = done.step, .loss = plain(result.losses.total, 4), .mel = plain(result.losses.mel, 4)};
  if (result.losses.is_of_vocoder()) {
    text = msg::train_vocoder_validation{.step = done.step,
                                         .mel = plain(result.losses.mel, 4),
                                         .stft = plain(result.losses.stft, 4)};
  }
  if (result.free_running) {
    text = msg::train_free_running{.validation = text,
                                   .mel = plain(result.free_running->mel_distance, 4),
                                   .error = plain(100 * result.free_running->length_error, 1)};
  }
  if (done.score && progress.best_score) {
    const Quantity score = plain(*done.score, 4);
    text = done.best ? Message(msg::train_best{.validation = text, .score = score})
                     : msg::train_not_best{.validation = text,
                                           .score = score,
                                           .best = plain(*progress.best_score, 4),
                                           .step = progress.best_step};
  }
  say(text);
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
