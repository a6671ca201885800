// A copy of some blocks of a device in host memory, taken while the stream that changes them goes
// on: for checkpoints, and for whatever else reads weights beside the training loop.
//
//   stream.submit([&] { snapshot.copy(); });             // quick: stays on the device
//   snapshot.fetch([&] { start writing ... });           // slow: over the link, on another stream
//   ... in the job: snapshot.require_whole(), snapshot.of(block)
//
// On a discrete device a copy stays on the device first, if there is memory for it; else, and where
// the device's memory is the host's, the stream makes the only one. All memory is taken when the
// snapshot is made: pinned memory that is taken later holds up the device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <torch/types.h>

#include "batch/block_pool.h"
#include "device/device.h"

namespace qanat {

// Whether a discrete device has memory for a copy of its own.
enum class SnapshotRoom { on_device, on_host_only };

// copy() is for the stream, the others for one host thread; of() and require_whole() for any thread
// between the callback of fetch() and the next copy(). The destructor waits for what is fetched.
class HostSnapshot {
 public:
  // `stream` is the one of `device` that changes `blocks`; they and both outlive the snapshot.
  // Waits for the stream.
  HostSnapshot(Device& device,
               DeviceStream& stream,
               std::vector<torch::Tensor> blocks,
               SnapshotRoom room);
  HostSnapshot(const HostSnapshot&) = delete;
  HostSnapshot& operator=(const HostSnapshot&) = delete;
  ~HostSnapshot();

  // What `blocks` take, in host memory and, with SnapshotRoom::on_device, on the device.
  static Bytes bytes_of(const std::vector<torch::Tensor>& blocks);

  void copy();
  // Behind a copy() that was submitted; `then` is called on a thread of the backend when the host
  // has all of it, or never will.
  void fetch(std::function<void()> then);
  // Until the callbacks of all that was fetched were called, on a discrete device with room; throws
  // what it failed with.
  void wait();
  // Throws what a copy failed with.
  void require_whole();
  // The host's copy of one of the blocks.
  const torch::Tensor& of(const torch::Tensor& block) const;

 private:
  void take_device_memory();

  DeviceStream& stream_;
  const std::vector<torch::Tensor> blocks_;
  const std::size_t bytes_;
  const std::unique_ptr<BlockAllocator> allocator_;
  std::byte* const memory_;
  std::vector<torch::Tensor> on_host_;    // views of memory_
  std::vector<torch::Tensor> on_device_;  // or empty
  std::unique_ptr<DeviceEvent> copied_;
  std::unique_ptr<DeviceEvent> fetched_;
  std::unique_ptr<DeviceStream>
      link_;  // last: reads and writes the above; absent without on_device_
};

}  // namespace qanat
