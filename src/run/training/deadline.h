// A stop token that comes when either the user wants it or the time is over.
//
// The destructor ends its thread at once; the token may be kept longer.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "base/time.h"

namespace qanat {

class Deadline {
 public:
  // An `end` that is over stops at once.
  Deadline(Clock::time_point end, const std::stop_token& stop);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() = default;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::jthread timer_;  // last: uses the source
};

// `length` from now.
Clock::time_point time_after(Seconds length);

}  // namespace qanat
