#include "pipeline/autotuner.h"

#include <algorithm>
#include <chrono>
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

// "1 worker makes a batch in 12.30 ms"
std::string prediction(const TuneObservation& seen, int workers) {
  return fmt::format("{} {} a batch in {:.2f} ms",
                     workers,
                     workers == 1 ? "worker makes" : "workers make",
                     milliseconds(seen.work) / workers);
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

// A new value and why; without a reason it is the one there was.
struct Choice {
  int value = 0;
  std::string reason;
};

Choice choose_workers(const TuneObservation& seen) {
  const int needed = workers_for(seen, kTargetShare);
  if (needed > seen.workers) {
    return {needed,
            fmt::format("a batch is {:.2f} ms of work and a step takes {:.2f} ms",
                        milliseconds(seen.work),
                        milliseconds(seen.step))};
  }
  if (is_short(seen) && seen.ready_low == 0 && seen.ready_high < seen.window) {
    return {seen.workers + 1,
            fmt::format("the consumer waited {:.1f} % of the time although {}",
                        100 * seen.wait_share,
                        prediction(seen, seen.workers))};
  }
  if (!is_short(seen) && seen.calm_periods >= kCalmPeriods &&
      workers_for(seen, kSpareShare) < seen.workers) {
    return {seen.workers - 1,
            fmt::format("a step takes {:.2f} ms, and nothing was short", milliseconds(seen.step))};
  }
  return {seen.workers, ""};
}

Choice choose_window(const TuneObservation& seen) {
  if (is_short(seen) && seen.ready_low == 0 && seen.ready_high >= seen.window) {
    return {seen.window * 2, "the buffer was both empty and full: the work is uneven"};
  }
  const int swing = seen.ready_high - seen.ready_low + 1;
  if (seen.ready_low > 0 && seen.calm_periods >= kCalmPeriods && swing < seen.window) {
    return {
        std::max(swing, seen.window - seen.window / 4),
        fmt::format("never fewer than {} of {} batches were ready", seen.ready_low, seen.window)};
  }
  return {seen.window, ""};
}

constexpr Clock::duration kFirstPeriod = std::chrono::milliseconds(250);
constexpr Clock::duration kLongestPeriod = std::chrono::seconds(8);
// Enough for a median that a checkpoint or a validation between two steps does not move.
constexpr std::size_t kGaps = 64;

}  // namespace

TuneDecision decide(const TuneObservation& seen, const TuneLimits& limits) {
  const Choice workers = choose_workers(seen);
  const Choice window = choose_window(seen);
  TuneDecision decision{
      .workers = std::clamp(workers.value, limits.min_workers, limits.max_workers),
      .window = std::clamp(window.value, limits.min_window, limits.max_window),
      .calm = !is_short(seen) && seen.ready_low > 0};
  if (decision.workers != seen.workers) {
    decision.workers_reason =
        fmt::format("{}: {}{}",
                    workers.reason,
                    prediction(seen, decision.workers),
                    decision.workers < workers.value ? "; the core budget allows no more" : "");
  }
  if (decision.window != seen.window) {
    decision.window_reason = window.reason;
  }
  return decision;
}

TuneLoop::TuneLoop(const TuneLimits& limits, const TuneSample& start)
    : limits_(limits), due_(start.time + kFirstPeriod), last_(start), period_(kFirstPeriod) {}

void TuneLoop::add_gap(Seconds gap) {
  const std::lock_guard lock(mutex_);
  if (gaps_.size() < kGaps) {
    gaps_.push_back(gap);
    return;
  }
  gaps_[next_gap_] = gap;
  next_gap_ = (next_gap_ + 1) % kGaps;
}

Seconds TuneLoop::median_gap() const {
  std::vector<Seconds> sorted = gaps_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

std::optional<TuneDecision> TuneLoop::observe(const TuneSample& sample,
                                              const Watermarks& marks,
                                              int workers,
                                              int window) {
  const std::lock_guard lock(mutex_);
  const std::int64_t batches = sample.batches - last_.batches;
  const bool was_consumed = marks.high > 0 && !gaps_.empty();
  if (sample.time < due_.load() || batches < kMinBatches || !was_consumed) {
    return std::nullopt;
  }
  const Seconds elapsed = sample.time - last_.time;
  const TuneDecision decision =
      decide({.workers = workers,
              .window = window,
              .work = (sample.busy - last_.busy) / static_cast<double>(batches),
              .step = median_gap(),
              .wait_share = (sample.consumer_wait - last_.consumer_wait) / elapsed,
              .ready_low = marks.low,
              .ready_high = marks.high,
              .calm_periods = calm_periods_},
             limits_);
  const bool changed = decision.workers != workers || decision.window != window;
  calm_periods_ = decision.calm && !changed ? calm_periods_ + 1 : 0;
  period_ = changed ? kFirstPeriod : std::min(period_ * 2, kLongestPeriod);
  last_ = sample;
  due_.store(sample.time + period_);
  return decision;
}

}  // namespace qanat
