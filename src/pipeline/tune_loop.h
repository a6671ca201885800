// Watches a running loader, period by period, and asks decide() what to change.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/time.h"
#include "pipeline/autotuner.h"
#include "pipeline/batch_assembler.h"

namespace qanat {

// Totals of a loader at one moment.
struct TuneSample {
  Clock::time_point time{};
  std::int64_t batches = 0;  // published
  Seconds busy{0};           // of all workers
  Seconds consumer_wait{0};
};

// Thread-safe. A period has at least kLeastBatches batches and starts at a quarter of a second;
// while nothing changes it doubles, up to 8 s.
class TuneLoop {
 public:
  static constexpr std::int64_t kLeastBatches = 8;

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
