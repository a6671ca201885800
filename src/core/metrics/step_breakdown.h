// From the timestamps of a step to its time breakdown. Pure; no libtorch, no device.
//
//   device:  ...| idle | forward | loss | backward | idle | forward ... | optimizer |  -> time
//   host:    ... busy | asked, handed | ...
//
// The device's events say what it did; the host says why it was idle: there was no batch to hand
// over, the batch was being copied, or the host was busy with something else.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "metrics/step_record.h"

namespace qanat {

enum class StepPhase { forward, loss, backward, exchange, retry, optimizer, checkpoint };

// How a batch came to the device.
struct BatchArrival {
  Clock::time_point host_busy_since;  // the host had submitted what was before
  Clock::time_point asked;            // the host asked the ring for the batch
  Clock::time_point handed;           // and got it
  Clock::time_point arrived;          // it was in the device's memory
  std::optional<Clock::time_point>
      met{};  // other processes had come as far; absent: there are none
};

// One interval of the device's time. It begins where the one before ended.
struct StepStretch {
  Clock::time_point end;
  bool idle = false;                     // the device waited for a batch: `arrival` says why
  StepPhase phase = StepPhase::forward;  // what it did, when it was not idle
  // When the host had launched all of it; absent where a device needs no launching.
  std::optional<Clock::time_point> launched{};
  BatchArrival arrival{};
};

// A device that is done so soon after the host had launched the last of something was waiting for
// it: with work in its queue it would be behind. Clocks agree to some ten microseconds.
inline constexpr Clock::duration kCaughtUp = std::chrono::microseconds(100);

// How long a device that worked from `begin` to `end` was held up by the host, which launched that
// work from `launching` to `launched`.
Seconds held_by_host(Clock::time_point begin,
                     Clock::time_point end,
                     Clock::time_point launching,
                     Clock::time_point launched);

// `begin` is where the step before (or whatever the device did between the two) ended; stretches
// in the order of time.
StepPhases make_breakdown(Clock::time_point begin, const std::vector<StepStretch>& stretches);

}  // namespace qanat
