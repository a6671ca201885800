// Tells at once when a device begins to starve, and keeps quiet about single stalls.
#pragma once

#include <deque>
#include <optional>

#include "base/time.h"
#include "metrics/step_record.h"

namespace qanat {

// Raised when most of the latest steps waited for data and that was a good part of their time;
// armed again only after the device was fed well for a while. For one thread.
class StarvationAlarm {
 public:
  static constexpr std::size_t kSteps = 24;  // that are looked at together
  static constexpr double kStarving = 0.15;  // of their time
  static constexpr double kFed = 0.05;       // below: armed again
  static constexpr Seconds kMinBetween{60};  // two warnings

  // True when it has just begun.
  bool observe(const StepPhases& phases, Clock::time_point now);
  double wait_share() const;

 private:
  struct Step {
    double wait = 0;
    double total = 0;
  };

  std::deque<Step> latest_;
  std::optional<Clock::time_point> warned_;
  bool starving_ = false;
};

}  // namespace qanat
