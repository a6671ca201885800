// A fixed-capacity FIFO between two pipeline stages; the pipeline's only queue.
//
// push() waits while the buffer is full, pop() while it is empty. Both wake on close(), on
// fail() and on their stop token, pop() also after its timeout. Any number of producers and
// consumers; every method is thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/error.h"
#include "base/time.h"
#include "metrics/flow_stats.h"

namespace qanat {

template <typename T>
class BoundedBuffer {
 public:
  explicit BoundedBuffer(std::size_t capacity) : occupancy_(capacity, Clock::now()) {
    set_capacity(capacity);
  }

  BoundedBuffer(const BoundedBuffer&) = delete;
  BoundedBuffer& operator=(const BoundedBuffer&) = delete;
  ~BoundedBuffer() = default;

  // Returns false, dropping the item, if the buffer was closed or the caller was asked to stop.
  [[nodiscard]] bool push(T item, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    wait(lock, push_wait_, not_full_, {.stop = stop}, [this] {
      return items_.size() < capacity_ || closed_;
    });
    if (closed_ || stop.stop_requested()) {
      not_full_.notify_one();  // pass on a wake-up this caller will not use
      return false;
    }
    items_.push_back(std::move(item));
    ++pushed_;
    occupancy_.change(items_.size(), capacity_, Clock::now());
    lock.unlock();
    not_empty_.notify_one();
    return true;
  }

  // Does not wait: false, dropping the item, when the buffer is full or closed.
  [[nodiscard]] bool try_push(T item) {
    {
      const std::lock_guard lock(mutex_);
      if (items_.size() >= capacity_ || closed_) {
        return false;
      }
      items_.push_back(std::move(item));
      ++pushed_;
      occupancy_.change(items_.size(), capacity_, Clock::now());
    }
    not_empty_.notify_one();
    return true;
  }

  // The oldest item, or nullopt at the end of the stream, when asked to stop or, where there is a
  // timeout, after it. Rethrows what the producer failed with, once the items before the failure
  // are consumed.
  [[nodiscard]] std::optional<T> pop(const std::stop_token& stop,
                                     std::optional<Seconds> timeout = std::nullopt) {
    std::unique_lock lock(mutex_);
    wait(lock, pop_wait_, not_empty_, {.stop = stop, .timeout = timeout}, [this] {
      return !items_.empty() || closed_;
    });
    if (stop.stop_requested()) {
      not_empty_.notify_one();  // pass on a wake-up this caller will not use
      return std::nullopt;
    }
    if (items_.empty()) {
      if (failure_) {
        std::rethrow_exception(failure_);
      }
      return std::nullopt;
    }
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    ++popped_;
    occupancy_.change(items_.size(), capacity_, Clock::now());
    lock.unlock();
    not_full_.notify_one();
    return item;
  }

  // No more items will come; consumers drain what is left.
  void close() { finish(nullptr); }

  // As close(), but consumers rethrow `failure` after the last item. The first call wins.
  void fail(std::exception_ptr failure) { finish(std::move(failure)); }

  // Items above a reduced capacity stay; producers wait until they are gone.
  void set_capacity(std::size_t capacity) {
    if (capacity == 0) {
      throw Error("buffer capacity: 0; expected at least 1");
    }
    {
      const std::lock_guard lock(mutex_);
      capacity_ = capacity;
      occupancy_.change(items_.size(), capacity_, Clock::now());
    }
    not_full_.notify_all();
  }

  BufferStats stats() const {
    const std::lock_guard lock(mutex_);
    return {.size = items_.size(),
            .capacity = capacity_,
            .pushed = pushed_,
            .popped = popped_,
            .push_wait = push_wait_,
            .pop_wait = pop_wait_,
            .occupancy = occupancy_.read(Clock::now())};
  }

 private:
  // What ends a wait early.
  struct Patience {
    const std::stop_token& stop;
    std::optional<Seconds> timeout = std::nullopt;
  };

  template <typename Ready>
  void wait(std::unique_lock<std::mutex>& lock,
            WaitTime& waited,
            std::condition_variable_any& changed,
            const Patience& patience,
            Ready ready) {
    if (ready() || patience.timeout == Seconds{0}) {
      return;
    }
    const auto start = Clock::now();
    if (patience.timeout) {
      changed.wait_for(lock, patience.stop, *patience.timeout, ready);
    } else {
      changed.wait(lock, patience.stop, ready);
    }
    waited.add(seconds_since(start));
  }

  void finish(std::exception_ptr failure) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) {
        return;
      }
      closed_ = true;
      failure_ = std::move(failure);
    }
    not_empty_.notify_all();
    not_full_.notify_all();
  }

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable_any not_full_;
  std::condition_variable_any not_empty_;
  std::deque<T> items_;
  std::size_t capacity_ = 1;
  bool closed_ = false;
  std::exception_ptr failure_;
  std::int64_t pushed_ = 0;
  std::int64_t popped_ = 0;
  WaitTime push_wait_;
  WaitTime pop_wait_;
  OccupancyClock occupancy_;
};

}  // namespace qanat
