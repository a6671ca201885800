// What one worker counts while it works. Written by that worker only, read by any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time.h"

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
};

}  // namespace qanat
