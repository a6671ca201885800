// One clock for everything that is measured.
#pragma once

#include <chrono>

namespace qanat {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

inline Seconds seconds_since(Clock::time_point start) {
  return Clock::now() - start;
}

}  // namespace qanat
