// A thread that exchanges one tensor after the other, in the order in which they were given to it:
// so all processes exchange in the same order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/thread.h"
#include "replicas/process_group.h"

namespace qanat {

// Thread-safe. The destructor waits for what was started: `work` has to end in bounded time.
class ExchangeQueue {
 public:
  ExchangeQueue()
      : thread_(start_thread("exchange", [this](const std::stop_token& stop) { run(stop); })) {}
  ExchangeQueue(const ExchangeQueue&) = delete;
  ExchangeQueue& operator=(const ExchangeQueue&) = delete;
  ~ExchangeQueue() { thread_.request_stop(); }

  // What `work` throws is thrown by wait().
  std::unique_ptr<Exchange> start(std::function<void()> work) {
    std::packaged_task<Seconds()> task([work = std::move(work)] {
      const Clock::time_point begin = Clock::now();
      work();
      return seconds_since(begin);
    });
    auto exchange = std::make_unique<Queued>(task.get_future());
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return exchange;
  }

 private:
  class Queued : public Exchange {
   public:
    explicit Queued(std::future<Seconds> result) : result_(std::move(result)) {}

    void wait() override {
      if (result_.valid()) {
        took_ = result_.get();
      }
    }
    std::optional<Seconds> took() const override { return took_; }

   private:
    std::future<Seconds> result_;
    std::optional<Seconds> took_;
  };

  void run(const std::stop_token& stop) {
    while (true) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !tasks_.empty(); })) {
        return;
      }
      std::packaged_task<Seconds()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;  // guards tasks_
  std::condition_variable_any changed_;
  std::deque<std::packaged_task<Seconds()>> tasks_;
  std::jthread thread_;
};

}  // namespace qanat
