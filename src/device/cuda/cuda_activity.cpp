#include "device/cuda/cuda_activity.h"

namespace qanat {

CudaActivity::~CudaActivity() {
  for (const Stretch& stretch : pending_) {
    drop(stretch);
  }
}

void CudaActivity::drop(const Stretch& stretch) noexcept {
  runtime_.drop_event(stretch.begin);
  runtime_.drop_event(stretch.end);
}

void CudaActivity::add(CudaEventHandle begin, CudaEventHandle end) {
  const std::lock_guard lock(mutex_);
  pending_.push_back({.begin = begin, .end = end});
  harvest();
}

Seconds CudaActivity::total() {
  const std::lock_guard lock(mutex_);
  harvest();
  return busy_.total();
}

void CudaActivity::harvest() noexcept {
  try {
    while (!pending_.empty() && runtime_.is_done(pending_.front().end)) {
      const Stretch stretch = pending_.front();
      busy_.add(clock_.time_of(stretch.begin), clock_.time_of(stretch.end));
      pending_.pop_front();
      drop(stretch);
    }
  } catch (const CudaFailure&) {
    // The failure reaches those who wait for the work; its duration stays unknown.
  }
}

}  // namespace qanat
