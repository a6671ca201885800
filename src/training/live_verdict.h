// What holds a run back, said while it runs: a verdict when an epoch ends, and a warning at once
// when the device begins to starve, with the rule that names the cause and what to do. Damage in
// precomputed features is said once.
//
// Hears of a run's events and judges them on a thread of its own, so that training does not wait
// for statistics. What there is to say is taken by whoever shows the run. The destructor waits for
// a judgement that is being made: a fraction of a second.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/starvation_alarm.h"
#include "locale/translator.h"
#include "metrics/journal.h"
#include "pipeline/bounded_buffer.h"
#include "train/train_observer.h"

namespace qanat {

struct LiveVerdictOptions {
  Seconds between_epochs{10};  // short epochs do not each get a verdict
  std::function<Clock::time_point()> now = Clock::now;
  Translator words{};  // of the lines; the journal's are English
};

class LiveVerdict final : public EventSink {
 public:
  // `journal`, which may be absent, gets a VerdictGiven for everything that is said; it
  // outlives this object.
  explicit LiveVerdict(EventSink* journal, LiveVerdictOptions options = {});
  LiveVerdict(const LiveVerdict&) = delete;
  LiveVerdict& operator=(const LiveVerdict&) = delete;
  ~LiveVerdict() override;

  // From any thread. Waits only while thousands are unread.
  void record(const JournalEvent& event) override;
  // The lines that were not taken yet. From any thread.
  std::vector<MessageArg> take();

 private:
  void judge_events();
  void hear(const JournalEvent& event);
  void hear_step(const StepRecord& step);
  using Sentence = std::function<std::string(const Translator& words)>;
  void say(const char* occasion, const StepRecord& step, const Sentence& sentence);
  Diagnosis diagnose() const;

  EventSink* const journal_;
  const LiveVerdictOptions options_;
  RunSummary summary_;  // the latest steps; the thread's own, like the three below
  StarvationAlarm alarm_;
  std::optional<std::int64_t> epoch_;
  std::optional<Clock::time_point> last_verdict_;
  std::mutex mutex_;  // guards lines_ and told_of_damage_
  std::vector<MessageArg> lines_;
  bool told_of_damage_ = false;
  BoundedBuffer<JournalEvent> events_{4096};
  std::jthread thread_;  // last: uses everything above
};

// Forwards to `inner`, and tells it what the verdict has to say, on the thread that trains.
class VerdictObserver final : public TrainObserver {
 public:
  VerdictObserver(TrainObserver& inner, LiveVerdict& verdict) : inner_(inner), verdict_(verdict) {}

  void on_note(const MessageArg& note) override { inner_.on_note(note); }
  void on_step(const StepRecord& record) override;
  void on_validation(std::int64_t step, const ValidationResult& result, bool best) override {
    inner_.on_validation(step, result, best);
  }
  void on_save(std::int64_t step) override { inner_.on_save(step); }

 private:
  TrainObserver& inner_;
  LiveVerdict& verdict_;
};

}  // namespace qanat
