// When each stage of one batch's way through the ring began and ended: a row of the slot timeline.
#pragma once

#include <cstdint>
#include <optional>

#include "base/quantity.h"
#include "base/time.h"
#include "batch/batch.h"

namespace qanat {

struct Interval {
  std::optional<Clock::time_point> begin;
  std::optional<Clock::time_point> end;

  bool complete() const { return begin && end; }
  Seconds length() const { return complete() ? Seconds(*end - *begin) : Seconds{0}; }
};

// A stage that does not exist in a mode stays empty.
struct SlotTimes {
  BatchId batch;
  int slot = 0;
  Seconds work{0};   // of all workers, to fill the host batch
  Bytes bytes;       // that go to the model device
  Interval load;     // the feeder waited for the host batch
  Interval stage;    // host to data device (Multi-GPU)
  Interval prepare;  // features on the data device (Multi-GPU)
  Interval copy;     // to the model device
  Interval train;    // between the reader's first and last work on it
};

}  // namespace qanat
