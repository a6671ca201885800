#include "training/live_verdict.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/thread.h"
#include "report/config_changes.h"
#include "report/run_text.h"

namespace qanat {
namespace {

// What is judged: enough for every test, and done in some hundredths of a second.
constexpr std::size_t kMaxSteps = 1000;

// The first finding about waiting, or the first one of all.
const Finding* cause_of_starving(const Diagnosis& diagnosis) {
  const auto waiting = std::ranges::find(diagnosis.findings, BreakdownPart::wait, &Finding::part);
  if (waiting != diagnosis.findings.end()) {
    return &*waiting;
  }
  return diagnosis.findings.empty() ? nullptr : &diagnosis.findings.front();
}

std::string remedy(const Finding& finding) {
  const Translator english;
  std::string text = fmt::format("{} {}", finding.id, english.tr(finding.title));
  if (!finding.fixes.empty()) {
    text += fmt::format("; try {}", fix_words(finding.fixes.front(), english));
  }
  return text;
}

}  // namespace

LiveVerdict::LiveVerdict(EventSink* journal, LiveVerdictOptions options)
    : journal_(journal), options_(std::move(options)) {
  thread_ = start_thread("verdict", [this](const std::stop_token&) { judge_events(); });
}

LiveVerdict::~LiveVerdict() {
  events_.close();
  thread_.join();
}

void LiveVerdict::record(const JournalEvent& event) {
  if (std::holds_alternative<VerdictGiven>(event)) {
    return;  // its own
  }
  if (const auto* const damaged = std::get_if<DamagedFeatures>(&event)) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(told_of_damage_, true)) {
      lines_.push_back(
          fmt::format("precomputed features are damaged and not used: {}", damaged->reason));
    }
  }
  (void)events_.push(event, {});
}

std::vector<std::string> LiveVerdict::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}

void LiveVerdict::judge_events() {
  while (const std::optional<JournalEvent> event = events_.pop({})) {
    hear(*event);
  }
}

void LiveVerdict::hear(const JournalEvent& event) {
  const std::size_t before = summary_.steps.size();
  summary_.add({.event = event});
  if (summary_.steps.size() > before) {
    hear_step(summary_.steps.back());
    summary_.keep_latest(kMaxSteps);
  }
}

void LiveVerdict::hear_step(const StepRecord& step) {
  const Clock::time_point now = options_.now();
  const bool ended = epoch_ && step.epoch != *epoch_;
  epoch_ = step.epoch;
  if (alarm_.observe(step.phases, now)) {
    const Diagnosis diagnosis = diagnose();
    const Finding* const cause = cause_of_starving(diagnosis);
    say("starving",
        step,
        fmt::format("the device starves: it waited for data {:.0f} % of the last {} steps{}",
                    100 * alarm_.wait_share(),
                    StarvationAlarm::kSteps,
                    cause != nullptr ? "; " + remedy(*cause) : std::string()));
  }
  if (ended && (!last_verdict_ || now - *last_verdict_ >= options_.between_epochs)) {
    const Diagnosis diagnosis = diagnose();
    if (diagnosis.verdict != VerdictKind::incomplete) {
      last_verdict_ = now;
      const bool fixable = diagnosis.recoverable_share > 0 && !diagnosis.findings.empty();
      say("epoch",
          step,
          render_verdict(diagnosis) +
              (fixable ? "; " + remedy(diagnosis.findings.front()) : std::string()));
    }
  }
}

Diagnosis LiveVerdict::diagnose() const {
  return diagnose_run(summary_);
}

void LiveVerdict::say(const char* occasion, const StepRecord& step, const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    lines_.push_back(text);
  }
  if (journal_ == nullptr) {
    return;
  }
  try {
    journal_->record(
        VerdictGiven{.occasion = occasion, .step = step.step, .epoch = step.epoch, .text = text});
  } catch (const std::exception&) {
    // The trainer writes to the same journal, and ends the run with the reason.
  }
}

void VerdictObserver::on_step(const StepRecord& record) {
  inner_.on_step(record);
  for (const std::string& line : verdict_.take()) {
    inner_.on_note(line);
  }
}

}  // namespace qanat
