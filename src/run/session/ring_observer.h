// Watches a running ring from a thread of its own: journals each batch's timeline and, now and
// then, what the whole pipeline did so far, tells the loader's autotuner the consumer's real pace,
// and tunes the depth of the ring.
//
// The destructor journals what has come in and ends; it waits for no device.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/time.h"
#include "device/device.h"
#include "metrics/journal.h"
#include "metrics/pipeline_stats.h"
#include "pipeline/bounded_buffer.h"
#include "pipeline/loader.h"
#include "session/run_devices.h"
#include "transfer/ring_tuner.h"
#include "transfer/transfer_ring.h"

namespace qanat {

// Takes a fraction of a millisecond.
PipelineStats read_pipeline(const Loader& loader,
                            const TransferRing& ring,
                            const RunDevices& devices);

// Loader, ring, devices and process in one reading, as the journal keeps it.
//
// A run journals one now and then while it runs, and one at its end: a run that is killed, or
// that has not ended, can be diagnosed too.
//
// When the next reading is due: often in a young run, every ten seconds in an old one. For one
// thread.
class ReadingSchedule {
 public:
  explicit ReadingSchedule(Clock::time_point start) : start_(start), due_(start + kShortest) {}

  bool is_due(Clock::time_point now);

 private:
  static constexpr Clock::duration kShortest = std::chrono::milliseconds(200);
  static constexpr Clock::duration kLongest = std::chrono::seconds(10);
  static constexpr int kPerAge = 16;

  const Clock::time_point start_;
  Clock::time_point due_;
};

// Where a ring's callbacks leave the times of batches. Shared by the observer and by those
// callbacks, which may outlive it. Thread-safe.
class SlotLog {
 public:
  // Called on a thread of the device; waits only while a thousand are unread.
  void add(const SlotTimes& times) { (void)times_.push(times, {}); }
  std::optional<SlotTimes> next() { return times_.pop({}); }
  void close() { times_.close(); }
  std::int64_t added() const { return times_.stats().pushed; }

  // The observer failed: the feeder learns it here and ends the run.
  void fail(std::exception_ptr failure);
  void rethrow_failure() const;

 private:
  BoundedBuffer<SlotTimes> times_{1024};
  mutable std::mutex mutex_;  // guards failure_
  std::exception_ptr failure_;
};

// The consumer's time so far.
struct ConsumerStats {
  std::int64_t steps = 0;
  Seconds own{0};
  Seconds waited{0};
  std::int64_t waited_steps = 0;  // steps whose batch was not there

  // Share of steps that found their batch ready, and share of time not lost to waiting.
  double readiness() const;
  double wait_share() const;
};

// All outlive the observer, except the log, which is shared.
struct ObserverParts {
  std::shared_ptr<SlotLog> log;
  TransferRing& ring;
  Loader& loader;
  const RunDevices& devices;
  EventSink* journal = nullptr;
  SlotLimits limits;
  Bytes slot_bytes;  // on the model device
};

class RingObserver {
 public:
  explicit RingObserver(const ObserverParts& parts);
  RingObserver(const RingObserver&) = delete;
  RingObserver& operator=(const RingObserver&) = delete;
  ~RingObserver();

  // Counts every batch whose reader was done when this was called; waits until they are counted.
  ConsumerStats stats() const;

 private:
  // Sums over the current period.
  struct Period {
    Clock::time_point begin;
    std::int64_t batches = 0;
    Seconds waited{0};
  };

  void watch();
  void observe(const SlotTimes& times);
  void journal_slot(const SlotTimes& times) const;
  void end_period(Clock::time_point now);
  bool fits_budget() const;
  void apply(const SlotDecision& decision, int before);

  const ObserverParts parts_;
  const Clock::time_point origin_ = Clock::now();
  ReadingSchedule readings_{origin_};
  std::optional<Clock::time_point> end_before_;
  Period period_;
  // Over the whole run: a stage that is slow for a while is uneven, not too slow.
  RingPeriod sums_;
  std::int64_t batches_ = 0;
  int calm_periods_ = 0;
  std::optional<Seconds> slack_;  // the smallest since the calm began
  int too_few_ = 0;               // slots that were once deepened from
  mutable std::mutex mutex_;      // guards everything below
  mutable std::condition_variable counted_more_;
  ConsumerStats stats_;
  std::int64_t observed_ = 0;  // batches
  bool ended_ = false;
  std::jthread thread_;  // last: uses everything above
};

}  // namespace qanat
