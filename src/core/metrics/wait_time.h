#pragma once

#include <cstdint>

#include "base/time.h"

namespace qanat {

// How often, and for how long in total, callers waited at one point.
struct WaitTime {
  std::int64_t count = 0;
  Seconds total{0};

  void add(Seconds waited) {
    ++count;
    total += waited;
  }
  Seconds mean() const { return count == 0 ? Seconds{0} : total / static_cast<double>(count); }
};

}  // namespace qanat
