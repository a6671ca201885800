// How long a CUDA device was busy, from pairs of events around everything its streams were given.
//
// Counts the time from the first launch of a task to its end, gaps between its kernels included.
// The monitor reports NVML's figure separately.
#pragma once

#include <deque>
#include <mutex>

#include "base/time.h"
#include "device/cuda/cuda_clock.h"
#include "device/cuda/interval_union.h"

namespace qanat {

// Thread-safe. Runtime and clock outlive it.
class CudaActivity {
 public:
  CudaActivity(CudaRuntime& runtime, CudaClock& clock) : runtime_(runtime), clock_(clock) {}
  CudaActivity(const CudaActivity&) = delete;
  CudaActivity& operator=(const CudaActivity&) = delete;
  ~CudaActivity();

  // Takes over both events, which were recorded on one stream.
  void add(CudaEventHandle begin, CudaEventHandle end);
  // Of what is done. A device that is lost stays at what it was.
  Seconds total();

 private:
  struct Stretch {
    CudaEventHandle begin;
    CudaEventHandle end;
  };
  void harvest() noexcept;
  void drop(const Stretch& stretch) noexcept;

  CudaRuntime& runtime_;
  CudaClock& clock_;
  std::mutex mutex_;  // guards everything below
  std::deque<Stretch> pending_;
  IntervalUnion busy_;
};

}  // namespace qanat
