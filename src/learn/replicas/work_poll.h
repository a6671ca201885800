// Waits a little for a call of c10d. For the backends.
#pragma once

#include <chrono>
#include <exception>

#include <torch/csrc/distributed/c10d/Work.hpp>

namespace qanat {

// Whether it is done, after `patience` at most; throws what it failed with.
//
// wait() throws when the time is over, and until it has, the call may have come to its end after
// all: what counts then is how it ended.
inline bool is_done(c10d::Work& work, std::chrono::milliseconds patience) {
  try {
    work.wait(patience);
    return true;
  } catch (const std::exception&) {
    if (!work.isCompleted()) {
      return false;
    }
    if (const std::exception_ptr failure = work.exception()) {
      std::rethrow_exception(failure);
    }
    return true;
  }
}

}  // namespace qanat
