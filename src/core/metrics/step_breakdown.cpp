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
  const Seconds meeting =
      a.met ? overlap(begin, idle.end, std::max(a.handed, a.arrived), *a.met) : Seconds{0};
  phases.exchange += meeting;
  phases.checkpoint += logging;
  phases.wait += waiting;
  phases.transfer += moving;
  phases.residual += Seconds(idle.end - begin) - logging - waiting - moving - meeting;
}

Seconds& part_of(StepPhases& phases, StepPhase phase) {
  switch (phase) {
    case StepPhase::forward:
      return phases.forward;
    case StepPhase::loss:
      return phases.loss;
    case StepPhase::backward:
      return phases.backward;
    case StepPhase::exchange:
      return phases.exchange;
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

Seconds held_by_host(Clock::time_point begin,
                     Clock::time_point end,
                     Clock::time_point launching,
                     Clock::time_point launched) {
  return end - launched < kCaughtUp ? overlap(begin, end, launching, launched) : Seconds{0};
}

StepPhases make_breakdown(Clock::time_point begin, const std::vector<StepStretch>& stretches) {
  StepPhases phases;
  Clock::time_point launching = begin;
  for (const StepStretch& stretch : stretches) {
    const Clock::time_point launched = stretch.launched.value_or(launching);
    if (stretch.idle) {
      explain_idle(begin, stretch, phases);
    } else {
      const Seconds held =
          stretch.launched ? held_by_host(begin, stretch.end, launching, launched) : Seconds{0};
      phases.launch += held;
      part_of(phases, stretch.phase) += Seconds(stretch.end - begin) - held;
    }
    begin = stretch.end;
    launching = launched;
  }
  return phases;
}

}  // namespace qanat
