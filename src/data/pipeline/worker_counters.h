// What one worker counts while it works. Written by that worker only, read by any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/time.h"
#include "metrics/log_histogram.h"
#include "metrics/usage.h"

namespace qanat {

// A counter with one writer: plain adds, no locked instruction.
class Counter {
 public:
  void add(std::int64_t amount) {
    // relaxed: a statistic, nothing is published through it
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::int64_t read() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

class TimeCounter {
 public:
  void add(Seconds time) {
    nanoseconds_.add(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  }
  Seconds read() const { return std::chrono::nanoseconds(nanoseconds_.read()); }

 private:
  Counter nanoseconds_;
};

// On cache lines of its own, so that workers do not slow each other down by counting.
struct alignas(64) WorkerCounters {
  Counter rows;
  Counter bad;
  Counter from_audio;
  Counter from_store;
  Counter from_cache;
  TimeCounter busy;
  TimeCounter blocked;
  TimeCounter starved;
  TimeCounter parked;
  TimeCounter decode;
  TimeCounter mel;
  TimeCounter tokens;
  TimeCounter copy;
  TimeCounter lock_wait;
  std::array<Counter, LogHistogram::kBuckets> row_times;
  // What the kernel said of the thread when it was asked last.
  std::atomic<bool> has_usage{false};
  std::atomic<bool> has_run_delay{false};
  TimeCounter cpu;
  TimeCounter run_delay;
  Counter major_faults;
};

// Asks the kernel about its thread once in a few rows, and keeps the answer in the counters. Made
// and used by the worker's own thread.
class WorkerMeter {
 public:
  explicit WorkerMeter(WorkerCounters& counters) : counters_(counters) {}

  void row_done() {
    if (++rows_ >= kRows) {
      rows_ = 0;
      read();
    }
  }

 private:
  static constexpr int kRows = 8;

  void read() {
    const ThreadUsage now = meter_.read();
    counters_.cpu.add(now.cpu - last_.cpu);
    counters_.major_faults.add(now.major_faults - last_.major_faults);
    if (now.run_delay) {
      counters_.run_delay.add(*now.run_delay - last_.run_delay.value_or(Seconds{0}));
      counters_.has_run_delay.store(true);
    }
    counters_.has_usage.store(true);
    last_ = now;
  }

  WorkerCounters& counters_;
  const ThreadUsageMeter meter_;
  ThreadUsage last_ = meter_.read();
  int rows_ = 0;
};

}  // namespace qanat
