// How many workers and how large a window: as few as keep the consumer fed.
//
// The target is the consumer's own pace, not the greatest throughput: cores that the loader does
// not need belong to the trainer. decide() is a pure function; the loader observes and applies.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "pipeline/batch_assembler.h"

namespace qanat {

struct TuneLimits {
  int min_workers = 1;  // equal limits: the user fixed the value
  int max_workers = 1;
  int min_window = 1;
  int max_window = 1;  // what fits the byte budget
};

// One period of a running loader.
struct TuneObservation {
  int workers = 1;
  int window = 1;
  Seconds work{0};          // worker time one batch takes
  Seconds step{0};          // time the consumer takes for itself between two batches (median)
  double wait_share = 0.0;  // of the period that the consumer waited for data
  int ready_low = 0;        // fewest and
  int ready_high = 0;       // most batches that were ready
  int calm_periods = 0;     // periods before this one in which nothing was short
};

struct TuneDecision {
  int workers = 1;
  int window = 1;
  bool calm = false;             // nothing was short in this period
  std::string workers_reason{};  // empty when the number stays
  std::string window_reason{};   // empty when the size stays
};

// Workers: enough that a batch is predicted to be made in 0.9 of a step; one more than predicted
// when the consumer waited all the same; one fewer after a few calm periods when the rest still
// makes a batch in 0.8 of a step.
// Window: doubled when it was both empty and full in one period (the work is uneven: a larger
// buffer evens it out); reduced by a quarter at most when it stayed far from empty.
TuneDecision decide(const TuneObservation& seen, const TuneLimits& limits);

// Totals of a loader at one moment.
struct TuneSample {
  Clock::time_point time{};
  std::int64_t batches = 0;  // published
  Seconds busy{0};           // of all workers
  Seconds consumer_wait{0};
};

// Watches a running loader, period by period, and asks decide() what to change.
//
// Thread-safe. A period has at least kMinBatches batches and starts at a quarter of a second;
// while nothing changes it doubles, up to 8 s.
class TuneLoop {
 public:
  static constexpr std::int64_t kMinBatches = 8;

  TuneLoop(const TuneLimits& limits, const TuneSample& start);

  // The consumer took `gap` for itself between two batches.
  void add_gap(Seconds gap);

  // Whether a period may be over: cheap enough to ask after every batch.
  bool is_due(Clock::time_point now) const { return now >= due_.load(); }

  // Ends the period, if it is over, with a decision. `workers` and `window` are the present ones.
  std::optional<TuneDecision> observe(const TuneSample& sample,
                                      const Watermarks& marks,
                                      int workers,
                                      int window);

 private:
  Seconds median_gap() const;

  const TuneLimits limits_;
  std::atomic<Clock::time_point> due_;
  std::mutex mutex_;  // guards everything below
  TuneSample last_;
  Clock::duration period_;
  int calm_periods_ = 0;
  std::vector<Seconds> gaps_;  // the latest, a ring
  std::size_t next_gap_ = 0;
};

}  // namespace qanat
