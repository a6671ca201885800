#include "metrics/past_steps.h"

#include <algorithm>
#include <cmath>

namespace qanat {

ValueRange ValueRange::of(double value) {
  return std::isfinite(value) ? ValueRange{.count = 1, .low = value, .high = value, .sum = value}
                              : ValueRange{};
}

ValueRange& ValueRange::operator+=(const ValueRange& other) {
  if (other.count == 0) {
    return *this;
  }
  low = count == 0 ? other.low : std::min(low, other.low);
  high = count == 0 ? other.high : std::max(high, other.high);
  sum += other.sum;
  count += other.count;
  return *this;
}

PastSteps PastSteps::of(const StepRecord& step) {
  PastSteps past{.first = step.step,
                 .last = step.step,
                 .count = 1,
                 .frames = step.frames,
                 .skipped = step.skipped ? 1 : 0,
                 .loss = ValueRange::of(step.losses.total),
                 .norm = ValueRange::of(step.gradient_norm),
                 .wall = ValueRange::of(step.phases.total().count()),
                 .phases = step.phases,
                 .learning_rate = step.learning_rate};
  if (past.loss.count > 0) {
    past.losses = step.losses;
  }
  return past;
}

PastSteps& PastSteps::operator+=(const PastSteps& later) {
  last = later.last;
  count += later.count;
  frames += later.frames;
  skipped += later.skipped;
  loss += later.loss;
  losses += later.losses;
  norm += later.norm;
  wall += later.wall;
  phases += later.phases;
  learning_rate = later.learning_rate;
  return *this;
}

bool PastSteps::is_sane() const {
  constexpr std::int64_t kMax = 1LL << 48U;
  const auto is_count = [](std::int64_t number) { return number >= 0 && number < kMax; };
  const auto is_range = [this](const ValueRange& range) {
    return range.count >= 0 && range.count <= count && range.low <= range.high;
  };
  return is_count(first) && is_count(last) && first <= last && is_count(count) && count > 0 &&
         is_count(frames) && is_count(skipped) && is_range(loss) && is_range(norm) &&
         is_range(wall);
}

}  // namespace qanat
