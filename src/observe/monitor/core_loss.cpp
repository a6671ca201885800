#include "monitor/core_loss.h"

#include <algorithm>
#include <utility>

#include "monitor/cgroup.h"
#include "monitor/host_counters.h"

namespace qanat {
namespace {

std::optional<double> queued_seconds(const std::filesystem::path& root) {
  const Reading<std::vector<ThreadClock>> threads = read_thread_clocks(root);
  if (!threads) {
    return std::nullopt;
  }
  double sum = 0;
  for (const ThreadClock& clock : *threads) {
    sum += clock.waiting;
  }
  return sum;
}

double throttled_seconds(const std::filesystem::path& root) {
  const Reading<CpuThrottling> throttling = read_cpu_throttling(root);
  return throttling ? (*throttling).seconds : 0;
}

}  // namespace

CoreLossWatch::CoreLossWatch(std::filesystem::path root)
    : root_(std::move(root)),
      neighbours_(root_),
      begin_(Clock::now()),
      queued_(queued_seconds(root_)),
      throttled_(throttled_seconds(root_)) {}

std::optional<double> CoreLossWatch::next() {
  const CoreLossWatch before = std::exchange(*this, CoreLossWatch(root_));
  const std::optional<double> others = before.neighbours_.others();
  const double seconds = std::chrono::duration<double>(begin_ - before.begin_).count();
  if (!others || seconds <= 0) {
    return std::nullopt;
  }
  // A thread that ended takes its time with it: the sum may shrink.
  const double queued =
      queued_ && before.queued_ ? std::max(0.0, *queued_ - *before.queued_) / seconds : *others;
  return std::min(*others, queued) + std::max(0.0, throttled_ - before.throttled_) / seconds;
}

bool ContentionLatch::update(std::optional<double> lost) {
  if (!lost) {
    return contended_;
  }
  free_readings_ = *lost < kFree ? free_readings_ + 1 : 0;
  contended_ = *lost >= kContended || (contended_ && free_readings_ < kFreeReadings);
  return contended_;
}

}  // namespace qanat
