#include "training/live_verdict.h"

#include <algorithm>
#include <utility>

#include "base/thread.h"
#include "locale/messages/training.h"
#include "locale/messages/verdicts.h"
#include "locale/translator.h"
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

Message remedy(const Finding& finding) {
  const Message what = msg::live_finding{.rule = finding.id, .title = finding.title};
  return finding.fixes.empty()
             ? what
             : Message(msg::live_try{.what = what, .fix = to_message_arg(finding.fixes.front())});
}

// What was seen, and what to do about it, where that is known.
Message with_remedy(MessageArg what, const Finding* finding) {
  return finding == nullptr
             ? Message(msg::verbatim_text{.text = std::move(what)})
             : Message(msg::live_and{.what = std::move(what), .remedy = remedy(*finding)});
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
      lines_.emplace_back(msg::train_damaged_features{.reason = damaged->reason});
    }
  }
  (void)events_.push(event, {});
}

std::vector<MessageArg> LiveVerdict::take() {
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
    const Message starves = with_remedy(msg::live_starves{.share = in_percent(alarm_.wait_share()),
                                                          .steps = StarvationAlarm::kSteps},
                                        cause);
    say("starving", step, [&](const Translator& words) { return words.tr(starves); });
  }
  if (ended && (!last_verdict_ || now - *last_verdict_ >= options_.between_epochs)) {
    const Diagnosis diagnosis = diagnose();
    if (diagnosis.verdict != VerdictKind::incomplete) {
      last_verdict_ = now;
      const bool fixable = diagnosis.recoverable_share > 0 && !diagnosis.findings.empty();
      say("epoch", step, [&](const Translator& words) {
        return words.tr(with_remedy(render_verdict(diagnosis, words),
                                    fixable ? &diagnosis.findings.front() : nullptr));
      });
    }
  }
}

Diagnosis LiveVerdict::diagnose() const {
  return diagnose_run(summary_);
}

void LiveVerdict::say(const char* occasion, const StepRecord& step, const Sentence& sentence) {
  {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(sentence(options_.words));
  }
  if (journal_ == nullptr) {
    return;
  }
  try {
    journal_->record(VerdictGiven{.occasion = occasion,
                                  .step = step.step,
                                  .epoch = step.epoch,
                                  .text = sentence(Translator())});
  } catch (const std::exception&) {
    // The trainer writes to the same journal, and ends the run with the reason.
  }
}

void VerdictObserver::on_step(const StepRecord& record) {
  inner_.on_step(record);
  for (const MessageArg& line : verdict_.take()) {
    inner_.on_note(line);
  }
}

}  // namespace qanat
