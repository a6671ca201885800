// Tells what slows a run down while it runs, when the verdict has changed and lasted, and, once,
// that precomputed features are damaged or that a recording cannot be used.
//
// Reads the run's journal on a thread of its own with a low priority, as `qanat top` does in
// another program: the thread that trains does nothing for it, and both say the same.
#pragma once

#include <atomic>
#include <filesystem>
#include <stop_token>
#include <thread>
#include <utility>

#include "history/verdict_watch.h"
#include "metrics/journal.h"
#include "train/train_observer.h"

namespace qanat {

struct LiveVerdictOptions {
  std::filesystem::path journal;
  RunWatchOptions watch{};  // begins where the session does
  Seconds pause{1};
};

class LiveVerdict final : public EventSink {
 public:
  // `observer` is told, from several threads; `journal` gets a VerdictGiven for every verdict that
  // it is told. Both outlive this object.
  LiveVerdict(LiveVerdictOptions options, TrainObserver& observer, EventSink& journal)
      : options_(std::move(options)), observer_(observer), journal_(journal) {}
  LiveVerdict(const LiveVerdict&) = delete;
  LiveVerdict& operator=(const LiveVerdict&) = delete;
  // Waits for a judgement that is being made: a fraction of a second.
  ~LiveVerdict() override = default;

  // Once everything that hears of events does.
  void start();
  // From any thread. Does not wait.
  void record(const JournalEvent& event) override;

 private:
  void follow(const std::stop_token& stop);
  void tell(const Diagnosis& diagnosis, const RunSnapshot& run);

  const LiveVerdictOptions options_;
  TrainObserver& observer_;
  EventSink& journal_;
  std::atomic<bool> has_told_of_damage_ = false;
  std::atomic<bool> has_told_of_recording_ = false;
  std::jthread thread_;  // last: uses everything above
};

}  // namespace qanat
