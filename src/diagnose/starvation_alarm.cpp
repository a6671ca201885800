#include "diagnose/starvation_alarm.h"

#include <algorithm>

namespace qanat {
namespace {

// A step that waited this share of its time is one of those that starve.
constexpr double kWaited = 0.05;

}  // namespace

double StarvationAlarm::wait_share() const {
  double wait = 0;
  double total = 0;
  for (const Step& step : latest_) {
    wait += step.wait;
    total += step.total;
  }
  return total > 0 ? wait / total : 0;
}

bool StarvationAlarm::observe(const StepPhases& phases, Clock::time_point now) {
  latest_.push_back({.wait = phases.wait.count(), .total = phases.total().count()});
  if (latest_.size() > kSteps) {
    latest_.pop_front();
  }
  const double share = wait_share();
  if (starving_) {
    starving_ = share >= kFed;
    return false;
  }
  const auto waited = std::ranges::count_if(
      latest_, [](const Step& step) { return step.wait > kWaited * step.total; });
  const bool most_waited = 2 * static_cast<std::size_t>(waited) >= kSteps;
  if (latest_.size() < kSteps || share < kStarving || !most_waited) {
    return false;
  }
  starving_ = true;
  const bool too_soon = warned_ && now - *warned_ < kMinBetween;
  if (!too_soon) {
    warned_ = now;
  }
  return !too_soon;
}

}  // namespace qanat
