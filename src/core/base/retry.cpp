#include "base/retry.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace qanat {
namespace {

// Between attempts to read, in which a worker of the loader may be: short.
constexpr std::array kPauses = {Seconds{0.005}, Seconds{0.02}, Seconds{0.075}};

// Until `stop`; one that has been requested before is no reason to hurry.
void pause_for(Seconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  if (stop.stop_requested()) {
    never.wait_for(lock, time, [] { return false; });
  } else {
    never.wait_for(lock, stop, time, [] { return false; });
  }
}

// When to give up: later while the disk is full, soon after a stop.
class Patience {
 public:
  explicit Patience(const RetryWait& wait) : wait_(wait), next_(wait.first) {}

  bool is_over(int error) {
    if (wait_.stop.stop_requested() && !is_stopped_) {
      is_stopped_ = true;
      stopped_ = Clock::now();
      next_ = wait_.first;
    }
    const Seconds timeout = says_disk_full(error) ? wait_.timeout_full : wait_.timeout;
    return spent() >= timeout || (is_stopped_ && seconds_since(stopped_) >= wait_.grace);
  }
  void pause() {
    pause_for(next_, wait_.stop);
    next_ = std::min(next_ * 2, wait_.max_pause);
  }
  Seconds spent() const { return seconds_since(begin_); }

 private:
  const RetryWait& wait_;
  const Clock::time_point begin_ = Clock::now();
  bool is_stopped_ = false;
  Clock::time_point stopped_ = begin_;  // when that was noticed
  Seconds next_;
};

}  // namespace

bool says_disk_full(int error) {
  return error == ENOSPC || error == EDQUOT;
}

bool may_pass(int error) {
  constexpr std::array kPassing = {
      EINTR, EAGAIN, EBUSY, EIO, ESTALE, ETIMEDOUT, EREMOTEIO, EMFILE, ENFILE, ENOMEM};
  return std::ranges::find(kPassing, error) != kPassing.end();
}

bool pause_before_retry(int attempt, int error) {
  if (error == EINTR) {
    return true;
  }
  if (!may_pass(error) || attempt >= static_cast<int>(kPauses.size())) {
    return false;
  }
  std::this_thread::sleep_for(kPauses[static_cast<std::size_t>(attempt)]);
  errno = error;
  return true;
}

int errno_of(const Error& error) {
  return error.failure().trouble ? error.failure().trouble->error : 0;
}

void retry_refused(const RetryWait& wait, const std::function<void()>& attempt) {
  Patience patience(wait);
  for (bool was_refused = false;; was_refused = true) {
    try {
      attempt();
      if (was_refused && wait.on_done) {
        wait.on_done(patience.spent());
      }
      return;
    } catch (const Error& refused) {
      const int error = errno_of(refused);
      if (error == 0 || patience.is_over(error)) {
        throw;
      }
      if (!was_refused && wait.on_wait) {
        wait.on_wait(refused);
      }
    }
    patience.pause();
  }
}

}  // namespace qanat
