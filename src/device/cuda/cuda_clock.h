// When a CUDA event was passed, on the clock of the host.
//
// CUDA only tells the time between two events, in single precision. So there is an anchor: an
// event on an idle stream whose moment the host saw, renewed every few seconds, because both the
// precision and the agreement of two clocks are lost over hours. Good to some ten microseconds.
#pragma once

#include <mutex>

#include "base/time.h"
#include "device/cuda/cuda_runtime.h"

namespace qanat {

// Thread-safe. The runtime outlives it.
class CudaClock {
 public:
  CudaClock(CudaRuntime& runtime, int device);
  CudaClock(const CudaClock&) = delete;
  CudaClock& operator=(const CudaClock&) = delete;
  ~CudaClock();

  // `event` is done. Throws CudaFailure.
  Clock::time_point time_of(CudaEventHandle event);

 private:
  void renew_anchor();

  CudaRuntime& runtime_;
  const CudaStreamHandle stream_;  // nothing else ever runs on it
  std::mutex mutex_;               // guards everything below
  CudaEventHandle anchor_ = nullptr;
  CudaEventHandle spare_ = nullptr;
  Clock::time_point anchored_at_;
};

}  // namespace qanat
