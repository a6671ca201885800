// Runs calls that may never return (into a driver, a dead network share) on a thread of its own,
// each with a deadline.
//
// A call that misses it is abandoned with its thread: nothing can end a thread that hangs in the
// kernel, and waiting for it would hang the program instead. So a call must own all it touches
// (shared pointers, no references to the caller's stack).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/time.h"

namespace qanat {

// For one thread at a time.
class BoundedCaller {
 public:
  explicit BoundedCaller(std::string name);
  BoundedCaller(const BoundedCaller&) = delete;
  BoundedCaller& operator=(const BoundedCaller&) = delete;
  // Joins a thread that is idle; does not wait for a call that was abandoned.
  ~BoundedCaller();

  // False when `work` was not done within `timeout`; every later call then returns false without
  // running its work. `work` must not throw.
  bool call(std::function<void()> work, Seconds timeout);
  bool lost() const { return lost_; }

 private:
  struct Desk;

  std::shared_ptr<Desk> desk_;  // shared with the thread, which may outlive this
  bool lost_ = false;
};

}  // namespace qanat
