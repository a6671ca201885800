#include "transfer/ring_tuner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace qanat {
namespace {

constexpr double kFeltWait = 0.01;  // share of waiting that is worth acting on
constexpr int kCalmPeriods = 8;     // before a slot is given back

double milliseconds(Seconds time) {
  return time.count() * 1e3;
}

struct Stage {
  const char* name;
  Seconds time;
};

Stage slowest_stage(const RingPeriod& seen) {
  return std::max({Stage{"loading", seen.load},
                   Stage{"staging", seen.stage},
                   Stage{"preparing", seen.prepare},
                   Stage{"copying", seen.copy}},
                  [](const Stage& a, const Stage& b) { return a.time < b.time; });
}

}  // namespace

SlotDecision decide_slots(const RingPeriod& seen, const SlotLimits& limits) {
  const Stage slowest = slowest_stage(seen);
  if (seen.wait_share > kFeltWait && slowest.time < seen.step && seen.slots < limits.most) {
    // By half: a ring that grows one by one is caught short again before it is deep enough.
    return {std::min(limits.most, seen.slots + (seen.slots + 1) / 2),
            fmt::format("the model device waited {:.1f} % of the time although {} takes {:.2f} ms "
                        "on average and a step {:.2f} ms: the stages are uneven",
                        100 * seen.wait_share,
                        slowest.name,
                        milliseconds(slowest.time),
                        milliseconds(seen.step))};
  }
  const bool is_calm = seen.wait_share <= kFeltWait && seen.calm_periods >= kCalmPeriods;
  const Seconds half = seen.step * (0.5 * seen.slots);
  if (is_calm && seen.slack > half && seen.slots > std::max(limits.least, seen.too_few + 1)) {
    return {seen.slots - 1,
            fmt::format("for {} periods batches lay ready {:.1f} ms and longer, and a step takes "
                        "{:.2f} ms: more than half of the slots were not needed",
                        seen.calm_periods,
                        milliseconds(seen.slack),
                        milliseconds(seen.step))};
  }
  return {seen.slots, ""};
}

std::optional<StepPace> step_pace(const SlotTimes& times, Clock::time_point end_before) {
  if (!times.copy.end || !times.train.end) {
    return std::nullopt;
  }
  const Clock::time_point begin = std::max(*times.copy.end, end_before);
  return StepPace{.own = *times.train.end - begin,
                  .waited = begin - end_before,
                  .slack = begin - *times.copy.end};
}

}  // namespace qanat
