// From a plan to batches on the model device: loader, transfer ring, start gate, and what tunes
// them. Everything that trains or measures training uses it.
//
//   RunDevices devices = make_devices(config, plan, host);
//   DevicePipeline pipeline(devices, {.config = config, .plan = plan, .loader = {...}});
//   pipeline.open_gate(stop);
//   while (auto batch = pipeline.ring().next(*reader, stop)) { ...; ring().release(...); }
//   reader->synchronise();
//
// Synchronise the stream that reads batches before the pipeline is destroyed. The destructor waits
// for the row and the piece of work that are being done at this moment, and for nothing else.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "app/device_plan.h"
#include "app/make_loader.h"
#include "base/time.h"
#include "session/ring_observer.h"
#include "session/run_devices.h"
#include "session/start_gate.h"

namespace qanat {

// Loading and training in turns: a batch is begun only when the one before has been read by its
// step. It is what a run without a buffer does, and what buffered runs are compared with.
//
// Thread-safe: the feeder takes turns, a thread of the device gives them back.
class Turns {
 public:
  // Waits until the last turn was given back; without a turn when asked to stop.
  void take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, stop, [this] { return is_free_; });
    is_free_ = false;
    taken_at_ = Clock::now();
  }

  // Returns when the turn was taken.
  Clock::time_point give_back() {
    const std::lock_guard lock(mutex_);
    is_free_ = true;
    given_back_.notify_all();
    return taken_at_;
  }

 private:
  std::mutex mutex_;  // guards everything below
  std::condition_variable_any given_back_;
  bool is_free_ = true;
  Clock::time_point taken_at_;
};

struct DevicePipelineRequest {
  RunConfig config;
  DevicePlan plan;
  LoaderRequest loader;  // payload, consumer_threads and blocks are decided by the pipeline
  HostFacts host = read_host_share();
  std::optional<LoaderOptions> loader_options = {};  // for those who know better than the config
};

struct DevicePipelineStats {
  PipelineStats loader;
  RingStats ring;
  ConsumerStats consumer;
  DeviceStats model;
  MemoryUse model_memory;
  std::optional<DeviceStats> data;  // Multi-GPU only
  std::optional<MemoryUse> data_memory;
};

// Rings of the largest shape of these edges, as configured.
RingOptions make_ring_options(const RunConfig& config,
                              const DevicePlan& plan,
                              const BucketEdges& edges);

// Fixed when the user named the depth, or wants nothing tuned; else up to the most that ever helps.
SlotLimits slot_limits(const RunConfig& config, const DevicePlan& plan, const RingOptions& options);

class DevicePipeline {
 public:
  // Loads at once. `devices` outlive it. Throws Error as make_loader() does, and OutOfMemory when
  // the ring does not fit. With memory isolation, model, batch and ring are compared with the
  // budgets first, and the Error names the numbers that would fit.
  DevicePipeline(RunDevices& devices, DevicePipelineRequest request);
  DevicePipeline(const DevicePipeline&) = delete;
  DevicePipeline& operator=(const DevicePipeline&) = delete;
  ~DevicePipeline() = default;

  Device& model_device() { return *devices_.model; }
  Device* data_device() { return devices_.data.get(); }
  TransferRing& ring() { return *ring_; }
  const Loader& loader() const { return *loader_; }

  // Where a run that ends after batch `last` resumes: batches in the ring do not count.
  Position position_after(const BatchId& last) const;
  GateResult open_gate(const std::stop_token& stop);
  DevicePipelineStats stats() const;
  // What the journal keeps at the end of a run; beside it, it is journalled now and then.
  PipelineStats reading() const;

 private:
  RingOptions fit_ring(const DevicePipelineRequest& request) const;
  std::unique_ptr<TransferRing> make_ring(const RingOptions& options);

  RunDevices& devices_;
  const Seconds longest_wait_;
  const PayloadFormat payload_;  // of what the model device gets
  EventSink* const journal_;
  std::shared_ptr<SlotLog> log_;  // shared with callbacks of the reader's stream
  std::shared_ptr<Turns> turns_;  // shared with the ring and its callbacks; null: buffered
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<TransferRing> ring_;      // takes from the loader
  std::unique_ptr<RingObserver> observer_;  // last: watches all of the above
};

}  // namespace qanat
