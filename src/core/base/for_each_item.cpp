#include "base/for_each_item.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sched.h>

#include "base/thread.h"

namespace qanat {
namespace {

// Few enough that workers end together, enough that counting costs nothing.
std::size_t items_per_turn(std::size_t count, int workers) {
  return std::clamp<std::size_t>(count / (static_cast<std::size_t>(workers) * 16), 1, 64);
}

// Fixture: what the workers of one call share.
class ItemLoop {
 public:
  ItemLoop(std::size_t count,
           const ParallelOptions& options,
           const std::function<void(int, std::size_t)>& body)
      : count_(count),
        turn_(items_per_turn(count, num_threads(options))),
        options_(options),
        body_(body) {}

  void work(int worker) {
    try {
      while (!ended_.load() && !options_.stop.stop_requested()) {
        const std::size_t begin = next_.fetch_add(turn_);
        if (begin >= count_) {
          return;
        }
        work_on(worker, begin, std::min(begin + turn_, count_));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = failure_ ? failure_ : std::current_exception();
      ended_.store(true);
    }
  }

  bool finish() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return done_ == static_cast<std::int64_t>(count_);
  }

 private:
  void work_on(int worker, std::size_t begin, std::size_t end) {
    std::size_t item = begin;
    // Items can be slow (a decode over a network): stop is asked between any two.
    for (; item < end && !ended_.load() && !options_.stop.stop_requested(); ++item) {
      body_(worker, item);
    }
    const std::lock_guard lock(mutex_);
    done_ += static_cast<std::int64_t>(item - begin);
    if (options_.progress) {
      options_.progress(done_, static_cast<std::int64_t>(count_));
    }
  }

  const std::size_t count_;
  const std::size_t turn_;  // items a worker takes at a time
  const ParallelOptions& options_;
  const std::function<void(int, std::size_t)>& body_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;  // guards done_, failure_ and the calls of progress
  std::int64_t done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

int num_threads(const ParallelOptions& options) {
  if (options.threads > 0) {
    return options.threads;
  }
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    return std::max(1, CPU_COUNT(&allowed));
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

bool for_each_item(std::size_t count,
                   const ParallelOptions& options,
                   const std::function<void(int worker, std::size_t item)>& body) {
  ItemLoop loop(count, options, body);
  const auto workers = static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(num_threads(options)), count));
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(workers));
    for (int worker = 0; worker < workers; ++worker) {
      threads.push_back(
          start_thread(fmt::format("items-{}", worker),
                       [&loop, worker](const std::stop_token&) { loop.work(worker); }));
    }
  }
  return loop.finish();
}

}  // namespace qanat
