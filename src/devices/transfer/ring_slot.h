// One slot of the transfer ring, and what the data device keeps for it. Private to the ring.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

#include "device/device.h"
#include "metrics/wait_time.h"
#include "transfer/device_batch.h"

namespace qanat {

// Each event is recorded by the stream that finished the step, and waited for by the next one's.
struct RingSlot {
  int index = 0;
  std::unique_ptr<DeviceMemory> arrived;  // features on the model device
  std::unique_ptr<DeviceEvent> copy_done;
  std::unique_ptr<DeviceEvent> read_done;
};

// Staging buffers on the data device, Multi-GPU only. A batch needs them only until it is copied,
// so a few serve a ring of any depth and stay in the cache of the data device.
struct StagingBuffer {
  std::unique_ptr<DeviceMemory> stage;     // PCM
  std::unique_ptr<DeviceMemory> prepared;  // features
  std::unique_ptr<DeviceEvent> stage_done;
  std::unique_ptr<DeviceEvent> prepare_done;
  std::shared_ptr<RingSlot> copied_to;  // of the batch before; its copy_done frees `prepared`
};

// What the ring's callbacks and its two threads tell each other.
struct RingProgress {
  std::mutex mutex;  // guards everything below
  std::condition_variable_any changed;
  int target_slots = 0;
  int live_slots = 0;
  int being_read = 0;           // released, not yet read
  int on_host = 0;              // submitted, and their host blocks not read yet
  std::int64_t submitted = 0;   // by the feeder
  std::int64_t arrived = 0;     // on the model device, or failed on the way
  std::int64_t handed_out = 0;  // by next()
  bool source_ended = false;
  std::exception_ptr source_failure;
  WaitTime device_wait;
  std::function<void(const SlotTimes&)> on_done;
};

}  // namespace qanat
