// The slots through which batches reach the model device: triple buffering with events.
//
//   Single-GPU:  host batch -> copy -> slot on the model device
//   Multi-GPU:   host batch -> stage -> features on the data device -> copy -> slot on the model
//   device
//
// A slot is free -> filling -> copying -> ready -> training -> free. All of it is submitted ahead,
// and each arrow is an event between two streams: neither the feeder nor the consumer waits for a
// device. A buffer is written again only after the event of its last reader. The feeder stays at
// most a few batches ahead of the stream that reads them: further batches wait in the loader, which
// counts the waiting, and take no pinned memory here.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "batch/batch.h"
#include "device/device.h"
#include "device/poison.h"
#include "metrics/flow_stats.h"
#include "metrics/wait_time.h"
#include "pipeline/bounded_buffer.h"
#include "transfer/device_batch.h"
#include "transfer/device_features.h"

namespace qanat {

struct StagingBuffer;
struct RingProgress;

// The batch after the last one is nullopt. Called by the feeder's thread only; waits no longer
// than its token.
using BatchSource = std::function<std::optional<Batch>(const std::stop_token&)>;

struct RingOptions {
  int slots = 3;
  Bytes slot_bytes;   // of the largest batch as the model device gets it
  Bytes stage_bytes;  // of the largest batch with PCM payload; Multi-GPU only
  // Fills a slot with kPoison before it is filled, so that a missing event shows as wrong numbers.
  // Host backend only.
  Poison poison = Poison::off;
};

struct RingDevices {
  Device& model;
  Device* data = nullptr;  // Multi-GPU only
};

// Parts given to a ring. Devices outlive it.
struct RingParts {
  RingDevices devices;
  BatchSource source;
  std::unique_ptr<DeviceFeatures> features;  // Multi-GPU only
  PayloadFormat mel_format;                  // of what the features make; Multi-GPU only
  // Called with the times of each batch when its reader is done, from threads of the devices.
  std::function<void(const SlotTimes&)> on_done;
};

struct RingStats {
  int slots = 0;
  std::int64_t submitted = 0;  // by the feeder
  std::int64_t batches = 0;    // handed to the consumer
  BufferStats ready;           // submitted ahead and not taken; its pop waits: the consumer starved
  BufferStats free;            // its pop waits: the feeder had no slot, the ring is full, healthy
  WaitTime device_wait;        // next() held back because its last batches are still being read
};

// The bytes a ring of these options takes on the model device, and on the data device, where they
// do not grow with its depth.
Bytes ring_bytes_on_model(const RingOptions& options);
Bytes ring_bytes_on_data(const RingOptions& options);

// next() and release() are for one consumer thread. The destructor waits for the tasks that are
// running on the ring's streams and drops the rest: synchronise the reader first, or its pending
// work fails. Batches that are still being read keep their memory.
class TransferRing {
 public:
  // Allocates all slots (throws OutOfMemory) and starts the feeder.
  TransferRing(const RingOptions& options, RingParts parts);
  TransferRing(const TransferRing&) = delete;
  TransferRing& operator=(const TransferRing&) = delete;
  ~TransferRing();

  // The next batch in the source's order; work submitted to `reader` from now on runs after it has
  // arrived. nullopt at the end or when stopped; throws what the source or a stage failed with.
  std::optional<DeviceBatch> next(DeviceStream& reader, const std::stop_token& stop);
  // All work that reads `batch` has been submitted to `reader`.
  void release(DeviceBatch batch, DeviceStream& reader);

  // Adds slots (throws OutOfMemory, keeping those there are) or retires them as they come back. At
  // least 1. For one thread at a time, which need not be the consumer's.
  void set_slots(int slots);
  // Waits until `count` batches (at most as many as there are slots) have arrived on the model
  // device and were not taken, or no more will come; at most for `timeout`. Returns whether that is
  // so.
  bool wait_until_warm(int count, Seconds timeout, const std::stop_token& stop);
  // What the source failed with, available before the consumer reaches it; null without a failure.
  std::exception_ptr source_failure() const;
  RingStats stats() const;

 private:
  void feed(const std::stop_token& stop);
  bool wait_until_host_is_read(const std::stop_token& stop);
  std::function<void()> host_was_read(const std::shared_ptr<Batch>& batch) const;
  std::shared_ptr<RingSlot> take_free_slot(const std::stop_token& stop);
  DeviceBatch submit(Batch batch, std::shared_ptr<RingSlot> slot, const Interval& load);
  void submit_single(const std::shared_ptr<Batch>& batch, DeviceBatch& to);
  void submit_multi(const std::shared_ptr<Batch>& batch, DeviceBatch& to);
  std::shared_ptr<RingSlot> make_slot(int index);
  void make_staging_buffers();
  void add_slots(int count);

  const RingOptions options_;
  const RingParts parts_;
  int slots_made_ = 0;  // ever; used by the caller of set_slots() only
  BoundedBuffer<std::shared_ptr<RingSlot>> free_;
  BoundedBuffer<DeviceBatch> ready_;
  // In turn; used by the feeder only. Shared with the work that is submitted.
  std::vector<std::shared_ptr<StagingBuffer>> staging_buffers_;
  std::shared_ptr<RingProgress> progress_;  // shared with callbacks that may outlive the ring
  // After the buffers: a stream that still writes into a slot ends before the slot does.
  std::unique_ptr<DeviceStream> copy_stream_;     // model device
  std::unique_ptr<DeviceStream> prepare_stream_;  // data device
  std::unique_ptr<DeviceStream> stage_stream_;    // data device
  std::jthread feeder_;                           // last: uses all of the above
};

}  // namespace qanat
