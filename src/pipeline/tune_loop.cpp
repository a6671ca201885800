#include "pipeline/tune_loop.h"

#include <algorithm>
#include <chrono>

namespace qanat {
namespace {

constexpr Clock::duration kFirstPeriod = std::chrono::milliseconds(250);
constexpr Clock::duration kLongestPeriod = std::chrono::seconds(8);
// Enough for a median that a checkpoint or a validation between two steps does not move.
constexpr std::size_t kGaps = 64;

}  // namespace

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
  if (sample.time < due_.load() || batches < kLeastBatches || !was_consumed) {
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
