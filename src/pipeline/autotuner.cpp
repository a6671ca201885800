#include "pipeline/autotuner.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace qanat {
namespace {

constexpr double kTargetShare = 0.9;  // of a step a batch may take
constexpr double kSpareShare = 0.8;   // as above, after giving a worker back
constexpr double kFeltWait = 0.01;    // share of waiting that is worth acting on
constexpr int kCalmPeriods = 3;       // before anything is taken away

double milliseconds(Seconds time) {
  return time.count() * 1e3;
}

// Workers that make a batch in `share` of a step.
int workers_for(const TuneObservation& seen, double share) {
  const double target = share * seen.step.count();
  const double needed = target > 0 ? std::ceil(seen.work.count() / target) : 1e9;
  return static_cast<int>(std::clamp(needed, 1.0, 1e9));
}

bool is_short(const TuneObservation& seen) {
  return seen.wait_share > kFeltWait;
}

void decide_workers(const TuneObservation& seen, const TuneLimits& limits, TuneDecision& decision) {
  const auto set = [&](int workers, std::string reason) {
    decision.workers = std::clamp(workers, limits.min_workers, limits.max_workers);
    if (decision.workers != seen.workers) {
      decision.workers_reason = std::move(reason);
    }
  };
  const int needed = workers_for(seen, kTargetShare);
  if (needed > seen.workers) {
    const int given = std::min(needed, limits.max_workers);
    set(needed,
        fmt::format("a batch is {:.2f} ms of work and a step takes {:.2f} ms: {} workers make it "
                    "in {:.2f} ms{}",
                    milliseconds(seen.work),
                    milliseconds(seen.step),
                    given,
                    milliseconds(seen.work) / given,
                    given < needed ? ", and the core budget allows no more" : ""));
  } else if (is_short(seen) && seen.ready_low == 0 && seen.ready_high < seen.window) {
    set(seen.workers + 1,
        fmt::format("the consumer waited {:.1f} % of the time although {} workers should make a "
                    "batch in {:.2f} ms",
                    100 * seen.wait_share,
                    seen.workers,
                    milliseconds(seen.work) / seen.workers));
  } else if (!is_short(seen) && seen.calm_periods >= kCalmPeriods &&
             workers_for(seen, kSpareShare) < seen.workers) {
    set(seen.workers - 1,
        fmt::format("{} workers make a batch in {:.2f} ms, well inside the step of {:.2f} ms",
                    seen.workers - 1,
                    milliseconds(seen.work) / (seen.workers - 1),
                    milliseconds(seen.step)));
  }
}

void decide_window(const TuneObservation& seen, const TuneLimits& limits, TuneDecision& decision) {
  const auto set = [&](int window, std::string reason) {
    decision.window = std::clamp(window, limits.min_window, limits.max_window);
    if (decision.window != seen.window) {
      decision.window_reason = std::move(reason);
    }
  };
  const int swing = seen.ready_high - seen.ready_low + 1;
  if (seen.ready_low == 0 && seen.ready_high >= seen.window) {
    set(seen.window * 2, "the buffer was both empty and full: the work is uneven");
  } else if (seen.ready_low > 0 && seen.calm_periods >= kCalmPeriods && swing < seen.window) {
    set(std::max(swing, seen.window - seen.window / 4),
        fmt::format("never fewer than {} of {} batches were ready", seen.ready_low, seen.window));
  }
}

}  // namespace

TuneDecision decide(const TuneObservation& seen, const TuneLimits& limits) {
  TuneDecision decision{.workers = seen.workers,
                        .window = seen.window,
                        .calm = !is_short(seen) && seen.ready_low > 0};
  decide_workers(seen, limits, decision);
  decide_window(seen, limits, decision);
  return decision;
}

}  // namespace qanat
