// For how long a bounded thing was empty, partly filled and full.
//
// The share of time a queue is empty says how ready the data was for its consumer; the share it
// is full says how far ahead the producers are.
#pragma once

#include <cstddef>

#include "base/time.h"

namespace qanat {

struct Occupancy {
  Seconds empty{0};
  Seconds partial{0};
  Seconds full{0};

  Seconds total() const { return empty + partial + full; }

  static void visit_fields(auto& self, auto&& field) {
    field("empty", self.empty)("partial", self.partial)("full", self.full);
  }
};

// Integrates Occupancy over time. Not thread-safe: guarded by whatever guards the size.
class OccupancyClock {
 public:
  OccupancyClock(std::size_t capacity, Clock::time_point now) : capacity_(capacity), since_(now) {}

  // The size (or capacity) is `size` (`capacity`) from `now` on.
  void change(std::size_t size, std::size_t capacity, Clock::time_point now) {
    elapsed_in_state() += now - since_;
    since_ = now;
    size_ = size;
    capacity_ = capacity;
  }

  Occupancy read(Clock::time_point now) const {
    OccupancyClock copy = *this;
    copy.change(size_, capacity_, now);
    return copy.so_far_;
  }

 private:
  Seconds& elapsed_in_state() {
    if (size_ == 0) {
      return so_far_.empty;
    }
    return size_ < capacity_ ? so_far_.partial : so_far_.full;
  }

  std::size_t size_ = 0;
  std::size_t capacity_;
  Clock::time_point since_;
  Occupancy so_far_;
};

}  // namespace qanat
