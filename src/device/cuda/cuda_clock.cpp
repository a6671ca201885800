#include "device/cuda/cuda_clock.h"

#include <chrono>
#include <utility>

namespace qanat {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

// A float counts 10 s of milliseconds in steps of a microsecond.
constexpr float kLongestReach = 10'000;
constexpr int kAttempts = 3;  // the quickest one was disturbed least

}  // namespace

CudaClock::CudaClock(CudaRuntime& runtime, int device)
    : runtime_(runtime),
      stream_(runtime.make_stream(device)),
      anchor_(runtime.make_event(device)),
      spare_(runtime.make_event(device)) {
  renew_anchor();
}

CudaClock::~CudaClock() {
  runtime_.drop_event(anchor_);
  runtime_.drop_event(spare_);
  runtime_.drop_stream(stream_);
}

void CudaClock::renew_anchor() {
  Clock::duration quickest = Clock::duration::max();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Clock::time_point before = Clock::now();
    runtime_.record(spare_, stream_);
    runtime_.synchronise(spare_);
    const Clock::duration took = Clock::now() - before;
    if (took < quickest) {
      quickest = took;
      std::swap(anchor_, spare_);
      anchored_at_ = before + took / 2;
    }
  }
}

Clock::time_point CudaClock::time_of(CudaEventHandle event) {
  const std::lock_guard lock(mutex_);
  float since = runtime_.milliseconds(anchor_, event);
  if (since > kLongestReach) {
    renew_anchor();
    since = runtime_.milliseconds(anchor_, event);
  }
  return anchored_at_ +
         std::chrono::duration_cast<Clock::duration>(Milliseconds(static_cast<double>(since)));
}

}  // namespace qanat
