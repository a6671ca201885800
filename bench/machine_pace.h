// How steady the machine itself is: the same work again and again, and nothing else. What a
// pipeline or a training step cannot be steadier than, here and now.
#pragma once

#include "base/time.h"

namespace qanat {

struct MachinePace {
  // Robust coefficient of variation of pieces of a fifth of a second.
  double variation = 0;
  // Steps that would find their batch ready if each batch took one piece of 7 ms, a step took what
  // 0.9 of the rate just before leaves, and `slots` could be made ahead.
  double readiness = 1;
};

// `threads` work in lockstep, as those of one operation do. Measures the rate for half of `time`
// first.
MachinePace measure_machine(int threads, int slots, Seconds time);

}  // namespace qanat
