#include "training/deadline.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/thread.h"

namespace qanat {

Deadline::Deadline(Clock::time_point end, const std::stop_token& stop)
    : forward_(stop, [this] { source_.request_stop(); }) {
  if (end <= Clock::now()) {
    source_.request_stop();
    return;
  }
  timer_ = start_thread("deadline", [this, end](const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_until(lock, over, end, [] { return false; });
    if (!over.stop_requested()) {
      source_.request_stop();
    }
  });
}

Clock::time_point time_after(Seconds length) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
}

}  // namespace qanat
