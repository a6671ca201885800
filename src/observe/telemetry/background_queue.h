// Work that must never hold up a training run: done on a thread of its own, from a queue that
// drops what does not fit and counts it.
//
// offer() may be called from any thread and does not wait. The destructor, and finish(), wait until
// what was queued is worked off: at most `capacity` items.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/thread.h"
#include "locale/message_error.h"
#include "pipeline/bounded_buffer.h"

namespace qanat {

template <typename T>
class BackgroundQueue {
 public:
  struct Work {
    std::function<void(T&)> take;  // one item
    std::function<void()> idle;    // nothing is queued any more; may be absent
  };

  BackgroundQueue(const std::string& name, std::size_t capacity, Work work)
      : queue_(capacity), work_(std::move(work)) {
    thread_ = start_thread(name, [this](const std::stop_token&) { run(); });
  }
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;
  ~BackgroundQueue() { finish(); }

  void offer(T item) {
    if (!queue_.try_push(std::move(item))) {
      ++dropped_;
    }
  }

  // After it, offers are dropped. For the owner only.
  void finish() {
    queue_.close();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  // Offers that came while the queue was full, or after the work had failed or finished.
  std::int64_t dropped() const { return dropped_; }
  // Why the work ended early: telemetry that fails ends itself, not the run.
  std::optional<MessageArg> failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  void run() {
    try {
      while (std::optional<T> item = queue_.pop({})) {
        work_.take(*item);
        if (work_.idle && queue_.stats().size == 0) {
          work_.idle();
        }
      }
    } catch (const std::exception& error) {
      queue_.close();
      const std::lock_guard lock(mutex_);
      failure_ = reason_of(error);
    }
  }

  BoundedBuffer<T> queue_;
  const Work work_;
  std::atomic<std::int64_t> dropped_ = 0;
  mutable std::mutex mutex_;  // guards failure_
  std::optional<MessageArg> failure_;
  std::jthread thread_;  // last: uses everything above
};

}  // namespace qanat
