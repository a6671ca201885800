// The few rows that took longest, by item. Thread-safe; costs one comparison for a row that is not
// among them.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/time.h"

namespace qanat {

struct SlowItem {
  std::uint32_t item = 0;
  Seconds longest{0};
  std::int64_t times = 0;  // it was slower than the least of the list, then and now
};

class SlowRows {
 public:
  static constexpr std::size_t kMax = 8;

  void add(std::uint32_t item, Seconds time);
  // The slowest first.
  std::vector<SlowItem> read() const;

 private:
  std::atomic<double> least_{0};  // seconds: what is below is not among them
  mutable std::mutex mutex_;      // guards slowest_
  std::vector<SlowItem> slowest_;
};

}  // namespace qanat
