#include "pipeline/slow_rows.h"

#include <algorithm>

namespace qanat {

void SlowRows::add(std::uint32_t item, Seconds time) {
  if (time.count() <= least_.load(std::memory_order_relaxed)) {  // a hint; decided under the lock
    return;
  }
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(slowest_, item, &SlowItem::item);
  if (known != slowest_.end()) {
    known->longest = std::max(known->longest, time);
    ++known->times;
  } else {
    slowest_.push_back({.item = item, .longest = time, .times = 1});
  }
  std::ranges::stable_sort(slowest_, std::greater{}, &SlowItem::longest);
  slowest_.resize(std::min(slowest_.size(), kMax));
  if (slowest_.size() == kMax) {
    least_.store(slowest_.back().longest.count(), std::memory_order_relaxed);
  }
}

std::vector<SlowItem> SlowRows::read() const {
  const std::lock_guard lock(mutex_);
  return slowest_;
}

}  // namespace qanat
