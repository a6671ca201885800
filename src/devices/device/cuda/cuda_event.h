// DeviceEvent of the CUDA backend.
#pragma once

#include <exception>
#include <mutex>

#include "device/cuda/cuda_core.h"
#include "device/device.h"

namespace qanat {

class CudaEvent : public DeviceEvent {
 public:
  explicit CudaEvent(CudaCore& core);
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  ~CudaEvent() override;

  bool ready() const override;
  void synchronise() override;
  std::optional<Clock::time_point> passed_at() const override;

  // For streams. A failed stream records its failure instead of a point.
  void record_on(CudaStreamHandle stream);
  void record_failure(std::exception_ptr failure);
  std::exception_ptr failure() const;
  // Null when there is nothing to wait for.
  CudaEventHandle point() const;

 private:
  enum class State { never, recorded, failed };

  CudaCore& core_;
  const CudaEventHandle handle_;
  mutable std::mutex mutex_;  // guards everything below
  State state_ = State::never;
  std::exception_ptr failure_;
  Clock::time_point failed_at_;
};

}  // namespace qanat
