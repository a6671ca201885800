// How many workers and how large a window: as few as keep the consumer fed.
//
// The target is the consumer's own pace, not the greatest throughput: cores that the loader does
// not need belong to the trainer. decide() is a pure function; the loader observes and applies.
#pragma once

#include <string>

#include "base/time.h"

namespace qanat {

struct TuneLimits {
  int min_workers = 1;  // equal limits: the user fixed the value
  int max_workers = 1;
  int min_window = 1;
  int max_window = 1;  // what fits the byte budget
};

// One period of a running loader.
struct TuneObservation {
  int workers = 1;
  int window = 1;
  Seconds work{0};          // worker time one batch takes
  Seconds step{0};          // time the consumer takes for itself between two batches (median)
  double wait_share = 0.0;  // of the period that the consumer waited for data
  int ready_low = 0;        // fewest and
  int ready_high = 0;       // most batches that were ready
  int calm_periods = 0;     // periods before this one in which nothing was short
};

struct TuneDecision {
  int workers = 1;
  int window = 1;
  bool calm = false;             // nothing was short in this period
  std::string workers_reason{};  // empty when the number stays
  std::string window_reason{};   // empty when the size stays
};

// Workers: enough that a batch is predicted to be made in 0.9 of a step; one more than predicted
// when the consumer waited all the same; one fewer after a few calm periods when the rest still
// makes a batch in 0.8 of a step.
// Window: doubled when it was both empty and full in one period (the work is uneven: a larger
// buffer evens it out); reduced by a quarter at most when it stayed far from empty.
TuneDecision decide(const TuneObservation& seen, const TuneLimits& limits);

}  // namespace qanat
