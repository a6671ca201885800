// A device, its streams and its events: what host code is written against, once, for every kind.
//
// The semantics are CUDA's, because that is the hardest backend to please: submitted work runs
// later, in the order of its stream; nothing orders two streams but an event; memory that is freed
// while work that uses it is pending is a bug, which the host backend shows by poisoning it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/device_id.h"
#include "base/message.h"
#include "base/quantity.h"
#include "base/time.h"
#include "batch/block_pool.h"
#include "device/memory_budget.h"

namespace qanat {

// A point in a stream. Recording it again moves it; a stream that was told to wait before keeps
// waiting for the former point. All methods are thread-safe.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;

  // True when all work before the point is done, and for an event that was never recorded.
  virtual bool ready() const = 0;
  // Blocks the calling thread: for the ends of runs and for tests, not for the steady state, where
  // it is counted (DeviceStats::host_waits). Throws what the work before the point failed with.
  virtual void synchronise() = 0;
  // When the point was passed; absent while it is not.
  virtual std::optional<Clock::time_point> passed_at() const = 0;
};

// Work that was recorded once and is played again without the host launching its parts. Made by a
// stream, played on that stream only, and not after it.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
  virtual void replay() = 0;  // asynchronous, in the order of the stream
};

// A FIFO of asynchronous work. Methods return without waiting for the work and may be called from
// any one thread at a time. When work throws, the rest of the stream is skipped, its events carry
// the failure to those who wait for them, and synchronise() and submit() rethrow it. Destroying a
// stream waits for the task that is running and drops those that have not begun.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;

  // Host backend: `work` runs later on the stream's thread. CUDA: it runs now, with the stream
  // current, and what it launches runs later. Either way it must not wait for the device.
  virtual void submit(std::function<void()> work) = 0;
  // `callback` runs on a thread of the backend when all work before it is done; it must neither
  // submit work nor wait for any, but may ask events. For giving back memory that was being read.
  virtual void then(std::function<void()> callback) = 0;
  virtual void copy(std::span<std::byte> to, std::span<const std::byte> from) = 0;
  virtual void record(DeviceEvent& event) = 0;
  virtual void wait(const DeviceEvent& event) = 0;
  virtual void synchronise() = 0;  // blocks the calling thread, counted
  // Records what `work` launches without running it. Null where a device has no such thing; throws
  // Error when `work` does something that cannot be recorded. The stream is good either way.
  virtual std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work);
};

// Owner of device memory. Freed without waiting: order it behind its last reader with an event.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual std::span<std::byte> bytes() = 0;
};

struct DeviceStats {
  Seconds busy{0};     // time in which at least one submitted task ran
  Seconds copying{0};  // time in which at least one copy ran
  Bytes copied;
  std::int64_t host_waits = 0;  // calls that blocked the host on the device
};

// Thread-safe. Outlives its streams, events and memory.
class Device {
 public:
  virtual ~Device() = default;

  virtual DeviceId id() const = 0;
  virtual Message description() const = 0;  // "virtual GPU (emulated), 1 core, 16384 MB"
  // Whether it has processors and memory of its own: the thread that submits work launches it, and
  // what it computed reaches the host over a link.
  virtual bool is_discrete() const { return false; }
  virtual std::unique_ptr<DeviceStream> make_stream(const std::string& name) = 0;
  // For copies alone: on a device with an engine for them, they take nothing from its computing.
  virtual std::unique_ptr<DeviceStream> make_copy_stream(const std::string& name) {
    return make_stream(name);
  }
  virtual std::unique_ptr<DeviceEvent> make_event() = 0;
  virtual std::unique_ptr<DeviceMemory> allocate(Bytes bytes) = 0;  // throws OutOfMemory
  // Whether memory of `other` can be copied to this device directly, without the host.
  virtual bool reaches(const Device& other) const;
  // Makes blocks of host memory that this device reads and writes without the host's help.
  virtual std::unique_ptr<BlockAllocator> pinned_blocks();
  virtual const MemoryBudget& memory() const = 0;
  virtual DeviceStats stats() const = 0;
};

}  // namespace qanat
