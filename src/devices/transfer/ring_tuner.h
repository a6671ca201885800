// How many slots a ring should have: as few as keep the model device fed.
//
// A deeper ring absorbs stages whose times vary; it cannot help a stage that is too slow, and its
// memory is taken from the model. decide_slots() is a pure function; the owner of the ring applies
// it.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "transfer/device_batch.h"

namespace qanat {

struct SlotLimits {
  int least = 1;  // equal limits: the user fixed the number
  int most = 1;
};

// One period of a running ring. Times are means per batch, over the run so far.
struct RingPeriod {
  int slots = 1;
  Seconds load{0};  // waiting for the loader
  Seconds stage{0};
  Seconds prepare{0};
  Seconds copy{0};
  Seconds step{0};          // the consumer's own time
  double wait_share = 0.0;  // of the period that the model device waited for a batch
  int calm_periods = 0;     // periods before this one without waiting
  // The shortest time that a batch was ready before its step began, since a step last waited.
  Seconds slack{0};
  int too_few = 0;  // slots that a period before this one waited with; 0: none did
};

struct SlotDecision {
  int slots = 1;
  std::string reason;  // empty when the number stays
};

SlotDecision decide_slots(const RingPeriod& seen, const SlotLimits& limits);

// What a step was, from the times of its batch and the end of the one before.
struct StepPace {
  Seconds own{0};     // the consumer's
  Seconds waited{0};  // for its batch to arrive
  Seconds slack{0};   // that its batch was ready before it
};

// Nothing when the times are incomplete: the run was stopped in the middle.
std::optional<StepPace> step_pace(const SlotTimes& times, Clock::time_point end_before);

}  // namespace qanat
