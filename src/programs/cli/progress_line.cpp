#include "cli/progress_line.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/help_formatter.h"
#include "cli/terminal_text.h"
#include "cli/top_view.h"
#include "locale/messages/command_output.h"
#include "locale/translator.h"

namespace qanat {
namespace {

constexpr Seconds kQuiet{2.0};           // work shorter than this is not mentioned
constexpr Seconds kTerminalPeriod{0.1};  // at most 10 Hz
constexpr Seconds kLogPeriod{10.0};
constexpr int kBarWidth = 20;  // columns
constexpr Control kRewriteLine{"\r\x1b[K"};

std::string rate_text(double rate) {
  return rate >= 10 ? fmt::format("{:.0f}/s", rate) : fmt::format("{:.2g}/s", rate);
}

std::optional<double> rate_of(const ProgressFacts& facts) {
  const auto gained = static_cast<double>(facts.done - facts.first);
  const double taken = (facts.elapsed - facts.first_elapsed).count();
  if (gained <= 0 || taken <= 0) {
    return std::nullopt;
  }
  return gained / taken;
}

std::string bar(double share, bool unicode) {
  const int full = std::clamp(static_cast<int>(share * kBarWidth), 0, kBarWidth);
  std::string text;
  for (int i = 0; i < full; ++i) {
    text += unicode ? "█" : "#";
  }
  for (int i = full; i < kBarWidth; ++i) {
    text += unicode ? "░" : ".";
  }
  return text;
}

double share_of(const ProgressFacts& facts) {
  return static_cast<double>(facts.done) / static_cast<double>(facts.total);
}

// All that follows the label and the bar.
std::string figures(const ProgressFacts& facts) {
  const bool bounded = facts.total > 0;
  std::string text =
      bounded ? fmt::format(
                    " {:3.0f}%  {}/{}", std::floor(100 * share_of(facts)), facts.done, facts.total)
              : fmt::format("  {}", facts.done);
  const Translator& w = facts.words;
  text = fmt::format("{} {}", w.digits(text), w.said(facts.unit));
  const std::optional<double> rate = rate_of(facts);
  if (rate) {
    text += "  " + w.digits(rate_text(*rate));
  }
  if (rate && facts.total > facts.done) {
    const auto left = static_cast<double>(facts.total - facts.done);
    text += "  " + w.tr(msg::progress_left{
                       .time = w.clock(Seconds(std::ceil(std::min(left / *rate, 3.6e8))))});
  }
  return text;
}

}  // namespace

std::string running_text(const ProgressFacts& facts, const Terminal& terminal) {
  const std::string head = facts.words.said(facts.label) + ":";
  const std::string tail = figures(facts);
  const auto columns = static_cast<std::size_t>(terminal.width);
  if (!terminal.interactive) {
    return head + tail;
  }
  if (facts.total > 0 && text_columns(head) + 1 + kBarWidth + text_columns(tail) < columns) {
    return head + " " + bar(share_of(facts), terminal.unicode) + tail;
  }
  return cut_to_width(head + tail, terminal.width - 1);
}

std::string finished_text(const ProgressFacts& facts) {
  const Translator& w = facts.words;
  const Quantity seconds = plain(facts.elapsed.count(), 1);
  if (facts.done < facts.total) {
    return w.tr(msg::progress_stopped{.label = facts.label,
                                      .done = facts.done,
                                      .total = facts.total,
                                      .unit = facts.unit,
                                      .seconds = seconds});
  }
  const std::string text = w.tr(msg::progress_done{
      .label = facts.label, .done = facts.done, .unit = facts.unit, .seconds = seconds});
  const std::optional<double> rate = rate_of(facts);
  return rate ? text + std::string(w.comma()) + w.digits(rate_text(*rate)) : text;
}

class ProgressLine::State {
 public:
  State(std::ostream& out, const Terminal& terminal, ProgressLineOptions options)
      : out_(out),
        terminal_(terminal),
        now_(std::move(options.now)),
        start_(now_()),
        facts_{.label = options.label, .unit = options.unit, .words = options.words} {}

  void update(std::int64_t done, std::int64_t total) {
    const std::scoped_lock lock(mutex_);
    if (finished_) {
      return;
    }
    const Clock::time_point now = now_();
    facts_.done = done;
    facts_.total = total;
    facts_.elapsed = now - start_;
    if (!std::exchange(reported_, true)) {
      facts_.first = done;
      facts_.first_elapsed = facts_.elapsed;
    }
    const Seconds period = terminal_.interactive ? kTerminalPeriod : kLogPeriod;
    if (facts_.elapsed < kQuiet || (shown_ && Seconds(now - *shown_) < period)) {
      return;
    }
    shown_ = now;
    const std::string text = running_text(facts_, terminal_);
    if (terminal_.interactive) {
      out_ << kRewriteLine << text << std::flush;
    } else {
      out_ << text << '\n' << std::flush;
    }
  }

  void finish() {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(finished_, true) || !shown_) {
      return;
    }
    facts_.elapsed = now_() - start_;
    if (terminal_.interactive) {
      out_ << kRewriteLine;
    }
    out_ << finished_text(facts_) << '\n' << std::flush;
  }

 private:
  std::ostream& out_;
  const Terminal terminal_;
  const std::function<Clock::time_point()> now_;
  const Clock::time_point start_;

  std::mutex mutex_;  // guards what follows, and writing to out_
  ProgressFacts facts_;
  bool reported_ = false;
  bool finished_ = false;
  std::optional<Clock::time_point> shown_;
};

ProgressLine::ProgressLine(const CommandContext& context, const Message& label, const Message& unit)
    : ProgressLine(context.err,
                   detect_terminal(STDERR_FILENO),
                   {.label = label, .unit = unit, .words = context.words}) {}

ProgressLine::ProgressLine(std::ostream& out, const Terminal& terminal, ProgressLineOptions options)
    : state_(std::make_shared<State>(out, terminal, std::move(options))) {}

ProgressLine::~ProgressLine() {
  try {
    finish();
  } catch (const std::exception&) {
    // No memory for the last line: it is left out, and the program goes on.
    return;
  }
}

ProgressFn ProgressLine::fn() {
  return [state = state_](std::int64_t done, std::int64_t total) { state->update(done, total); };
}

void ProgressLine::update(std::int64_t done, std::int64_t total) {
  state_->update(done, total);
}

void ProgressLine::finish() {
  state_->finish();
}

void StageLines::say(const MessageArg& line) {
  const std::lock_guard lock(mutex_);
  if (progress_) {
    progress_->finish();
  }
  context_.err << context_.words.said(line) << '\n' << std::flush;
  if (progress_) {
    progress_.emplace(context_, what_, unit_);
  }
}

SayFn StageLines::say_fn() {
  return [this](const MessageArg& line) { say(line); };
}

StartProgressFn StageLines::start_fn() {
  return [this](const Message& what, const Message& unit) { return start(what, unit); };
}

ProgressFn StageLines::start(const Message& what, const Message& unit) {
  const std::lock_guard lock(mutex_);
  what_ = what;
  unit_ = unit;
  progress_.emplace(context_, what_, unit_);
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
