// A disk that is full, for the time being: what can wait for space waits.
#pragma once

#include <functional>
#include <stop_token>

#include "base/error.h"
#include "base/time.h"

namespace qanat {

// The disk, or the user's share of it, has no space left. Nothing else is wrong.
class DiskFull : public Error {
 public:
  using Error::Error;
};

// Whether this errno says so.
bool says_disk_full(int error);

struct SpaceWait {
  Seconds every{5};      // between attempts
  Seconds timeout{600};  // after which the last failure is thrown
  // A stop ends the wait: there is one more attempt.
  std::stop_token stop{};
  // The wait begins, and why; it is over, after so long. May be absent.
  std::function<void(const DiskFull&)> on_full{};
  std::function<void(Seconds)> on_space{};
};

// Calls `attempt` again while it throws DiskFull. Other exceptions pass through.
void retry_while_full(const SpaceWait& wait, const std::function<void()>& attempt);

}  // namespace qanat
