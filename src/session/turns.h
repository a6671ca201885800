// Loading and training in turns: a batch is begun only when the one before has been read by its
// step. It is what a run without a buffer does, and what buffered runs are compared with.
//
// Thread-safe: the feeder takes turns, a thread of the device gives them back.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "base/time.h"

namespace qanat {

class Turns {
 public:
  // Waits until the last turn was given back; without a turn when asked to stop.
  void take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, stop, [this] { return is_free_; });
    is_free_ = false;
    taken_at_ = Clock::now();
  }

  // Returns when the turn was taken.
  Clock::time_point give_back() {
    const std::lock_guard lock(mutex_);
    is_free_ = true;
    given_back_.notify_all();
    return taken_at_;
  }

 private:
  std::mutex mutex_;  // guards everything below
  std::condition_variable_any given_back_;
  bool is_free_ = true;
  Clock::time_point taken_at_;
};

}  // namespace qanat
