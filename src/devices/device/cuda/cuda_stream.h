// DeviceStream of the CUDA backend: a stream of libtorch, and a thread that runs callbacks when the
// stream reaches them. CUDA's own callbacks must not call CUDA, but ours often are the last owner
// of a block of device memory and free it.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "device/cuda/cuda_core.h"
#include "device/cuda/cuda_event.h"
#include "device/device.h"
#include "pipeline/bounded_buffer.h"

namespace qanat {

class CudaStream : public DeviceStream {
 public:
  CudaStream(std::string name, CudaCore& core);
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  // Waits for all that was submitted: CUDA cannot take work back.
  ~CudaStream() override;

  void submit(std::function<void()> work) override;
  void then(std::function<void()> callback) override;
  void copy(std::span<std::byte> to, std::span<const std::byte> from) override;
  void record(DeviceEvent& event) override;
  void wait(const DeviceEvent& event) override;
  void synchronise() override;
  std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work) override;

 private:
  struct Callback {
    CudaEventHandle after;  // null: the device is lost
    std::function<void()> run;
  };
  class Graph;
  class Staging;

  // Runs `call` between two events that are booked as `activity`; a failure is the stream's.
  void booked(CudaActivity& activity, const std::function<void()>& call);
  void attempt(const std::function<void()>& call);
  void start_copy(std::span<std::byte> to, std::span<const std::byte> from);
  // The block that holds the address, or whatever else is there. The allocator will not reuse the
  // block before this stream reaches this point, even if its owner frees it now.
  MemoryPlace use(const std::byte* address);
  CudaEventHandle record_new();
  void call_back();
  void wait_for_callbacks();
  void fail(std::exception_ptr failure);
  std::exception_ptr failure() const;

  const std::string name_;
  CudaCore& core_;
  const CudaStreamHandle handle_;
  std::unique_ptr<Staging> staging_;  // made by the first copy that needs it
  BoundedBuffer<Callback> callbacks_;
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable called_;
  std::exception_ptr failure_;
  std::int64_t num_pushed_ = 0;
  std::int64_t num_called_ = 0;
  std::jthread thread_;  // last: uses the fields above; ends when all callbacks were called
};

}  // namespace qanat
