// The time in which at least one of many intervals ran, whatever the order they become known in.
// Not thread-safe.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>

#include "base/time.h"

namespace qanat {

class IntervalUnion {
 public:
  void add(Clock::time_point begin, Clock::time_point end) {
    if (end <= begin) {
      return;
    }
    auto next = parts_.upper_bound(begin);
    if (next != parts_.begin() && std::prev(next)->second >= begin) {
      --next;
    }
    while (next != parts_.end() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      total_ -= Seconds(next->second - next->first);
      next = parts_.erase(next);
    }
    parts_.emplace(begin, end);
    total_ += Seconds(end - begin);
    forget_long_ago();
  }
  Seconds total() const { return total_; }

 private:
  // Streams of a device are never so far apart that an interval could still touch these.
  void forget_long_ago() {
    constexpr std::size_t kKept = 4096;
    if (parts_.size() > kKept) {
      parts_.erase(parts_.begin(), std::next(parts_.begin(), kKept / 2));
    }
  }

  std::map<Clock::time_point, Clock::time_point> parts_;  // disjoint, by their beginning
  Seconds total_{0};
};

}  // namespace qanat
