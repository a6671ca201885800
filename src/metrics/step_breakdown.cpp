#include "metrics/step_breakdown.h"

#include <algorithm>

namespace qanat {
namespace {

// The part of an idle time that lies between two moments.
Seconds overlap(Clock::time_point idle_begin,
                Clock::time_point idle_end,
                Clock::time_point from,
                Clock::time_point to) {
  const Clock::time_point begin = std::max(idle_begin, from);
  const Clock::time_point end = std::min(idle_end, to);
  return std::max(Seconds{0}, Seconds(end - begin));
}

void explain_idle(Clock::time_point begin, const StepStretch& idle, StepPhases& phases) {
  const BatchArrival& a = idle.arrival;
  const Seconds logging = overlap(begin, idle.end, a.host_busy_since, a.asked);
  const Seconds waiting = overlap(begin, idle.end, a.asked, a.handed);
  const Seconds moving = overlap(begin, idle.end, a.handed, a.arrived);
  phases.checkpoint += logging;
  phases.wait += waiting;
  phases.transfer += moving;
  phases.residual += Seconds(idle.end - begin) - logging - waiting - moving;
}

Seconds& part_of(StepPhases& phases, StepPhase phase) {
  switch (phase) {
    case StepPhase::forward:
      return phases.forward;
    case StepPhase::loss:
      return phases.loss;
    case StepPhase::backward:
      return phases.backward;
    case StepPhase::retry:
      return phases.retry;
    case StepPhase::optimizer:
      return phases.optimizer;
    case StepPhase::checkpoint:
      return phases.checkpoint;
  }
  return phases.residual;
}

}  // namespace

StepPhases make_breakdown(Clock::time_point begin, const std::vector<StepStretch>& stretches) {
  StepPhases phases;
  for (const StepStretch& stretch : stretches) {
    if (stretch.idle) {
      explain_idle(begin, stretch, phases);
    } else {
      part_of(phases, stretch.phase) += Seconds(stretch.end - begin);
    }
    begin = stretch.end;
  }
  return phases;
}

}  // namespace qanat
