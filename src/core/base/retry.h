// What the system refuses for the time being: a full disk, a file server that does not answer, too
// many open files. What can be tried again is tried again, within bounds.
#pragma once

#include <cerrno>
#include <functional>
#include <stop_token>

#include "base/error.h"
#include "base/time.h"

namespace qanat {

// Whether this errno says that the disk, or the user's share of it, is full.
bool says_disk_full(int error);
// Whether the same call may succeed a moment later though nobody has done anything about it.
bool may_pass(int error);

// Waits before the call that failed with `error` is made again, longer each time; a tenth of a
// second in all. False when it is of no use to go on. Keeps errno.
//
// No stop ends the pause: those who read know of none, and a tenth of a second is about what the
// clip takes that a worker decodes before it looks for a stop. A call that stays refused fails its
// item, so a stop is heard after one such pause and not after many. What may take longer is for
// retry_refused().
bool pause_before_retry(int attempt, int error);

// Makes a system call that returns -1 and sets errno again while that may help. For reading: what
// fsync() refused once has to be written again from the start.
template <typename Call>
auto retry_call(const Call& call) {
  auto result = call();
  for (int attempt = 0; result == decltype(result)(-1) && pause_before_retry(attempt, errno);
       ++attempt) {
    result = call();
  }
  return result;
}

// errno of what the system refused; 0: something else went wrong.
int errno_of(const Error& error);

struct RetryWait {
  Seconds first{0.1};         // before the second attempt; twice as long before each one after it
  Seconds max_pause{5};       // between attempts
  Seconds timeout{60};        // after which the last failure is thrown
  Seconds timeout_full{600};  // the same, while the disk is full
  Seconds grace{3};           // the same, after a stop
  std::stop_token stop{};
  // The first attempt was refused, and why; a later one was not, after so long. May be absent.
  std::function<void(const Error&)> on_wait{};
  std::function<void(Seconds)> on_done{};
};

// Calls `attempt` again while the system refuses (errno_of()). Other exceptions pass through. A
// stop ends the pause, and leaves the grace.
void retry_refused(const RetryWait& wait, const std::function<void()>& attempt);

}  // namespace qanat
