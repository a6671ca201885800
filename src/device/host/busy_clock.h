// How long at least one of several overlapping activities was running. Thread-safe.
#pragma once

#include <mutex>

#include "base/time.h"

namespace qanat {

class BusyClock {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    if (running_++ == 0) {
      since_ = Clock::now();
    }
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) {
      total_ += seconds_since(since_);
    }
  }
  Seconds read() const {
    const std::lock_guard lock(mutex_);
    return running_ == 0 ? total_ : total_ + seconds_since(since_);
  }

 private:
  mutable std::mutex mutex_;  // guards everything below
  int running_ = 0;
  Clock::time_point since_;
  Seconds total_{0};
};

// Keeps a clock running for a scope.
class BusyScope {
 public:
  explicit BusyScope(BusyClock& clock) : clock_(clock) { clock_.begin(); }
  BusyScope(const BusyScope&) = delete;
  BusyScope& operator=(const BusyScope&) = delete;
  ~BusyScope() { clock_.end(); }

 private:
  BusyClock& clock_;
};

}  // namespace qanat
