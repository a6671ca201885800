#include "training/live_verdict.h"

#include <condition_variable>
#include <mutex>

#include "base/low_priority.h"
#include "base/thread.h"
#include "locale/messages/training.h"
#include "locale/translator.h"
#include "report/config_changes.h"
#include "report/run_words.h"

namespace qanat {
namespace {

// The cause with what to do about it, or why there is none.
Message reason_of_verdict(const Diagnosis& diagnosis) {
  const Finding* const cause = cause_of(diagnosis);
  if (cause == nullptr) {
    return diagnosis.why;
  }
  const Message what = msg::live_finding{.rule = cause->id, .title = cause->title};
  return cause->fixes.empty()
             ? what
             : Message(msg::live_try{.what = what, .fix = to_message_arg(cause->fixes.front())});
}

// Most reasons begin with the file.
std::string with_file(const BadUtterance& bad) {
  const bool is_named = bad.reason.find(bad.file) != std::string::npos;
  return is_named ? bad.reason : bad.file + ": " + bad.reason;
}

Message verdict_note(const Diagnosis& diagnosis) {
  const Message verdict = to_message(diagnosis.verdict);
  const Message why = reason_of_verdict(diagnosis);
  const Message saved = recoverable_message(diagnosis);
  return saved ? Message(msg::live_verdict_saves{.verdict = verdict, .saved = saved, .why = why})
               : msg::live_verdict{.verdict = verdict, .why = why};
}

}  // namespace

void LiveVerdict::start() {
  thread_ = start_thread("verdict", [this](const std::stop_token& stop) { follow(stop); });
}

void LiveVerdict::record(const JournalEvent& event) {
  if (const auto* const damaged = std::get_if<DamagedFeatures>(&event)) {
    if (!has_told_of_damage_.exchange(true)) {
      observer_.on_note(msg::train_damaged_features{.reason = damaged->reason});
    }
  } else if (const auto* const bad = std::get_if<BadUtterance>(&event)) {
    if (!has_told_of_recording_.exchange(true)) {
      observer_.on_note(msg::train_bad_utterance{.reason = with_file(*bad)});
    }
  } else if (std::holds_alternative<RunEnd>(event)) {
    thread_.request_stop();  // the report comes next
  }
}

void LiveVerdict::follow(const std::stop_token& stop) {
  lower_priority();
  VerdictWatch watch(options_.journal, options_.watch);
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    const Diagnosis* const settled = watch.update();
    if (settled != nullptr && !stop.stop_requested()) {
      tell(*settled, watch.snapshot());
    }
    (void)stopped.wait_for(lock, stop, options_.pause, [] { return false; });
  }
}

void LiveVerdict::tell(const Diagnosis& diagnosis, const RunSnapshot& run) {
  const Message note = verdict_note(diagnosis);
  observer_.on_note(note);
  VerdictGiven given{.occasion = "changed", .text = Translator().tr(note)};
  if (run.newest) {
    given.step = run.newest->step;
    given.epoch = run.newest->epoch;
  }
  try {
    journal_.record(given);
  } catch (const std::exception&) {
    // The trainer writes to the same journal, and ends the run with the reason.
  }
}

}  // namespace qanat
