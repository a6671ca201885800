// What the parts of one CUDA device share: its runtime, its clock, its counts, and how failures of
// CUDA become errors of the program. Private to the backend.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/device_id.h"
#include "base/time.h"
#include "device/cuda/cuda_runtime.h"
#include "device/memory_budget.h"

namespace qanat {

// Events of a device that are used again: a step records some forty, and making one is a call into
// the driver. A stream that was told to wait for an event keeps waiting for the point it was
// recorded at, so it may be given back at once. Thread-safe. The runtime outlives it.
class CudaEventPool {
 public:
  CudaEventPool(CudaRuntime& runtime, int device) : runtime_(runtime), device_(device) {}
  CudaEventPool(const CudaEventPool&) = delete;
  CudaEventPool& operator=(const CudaEventPool&) = delete;
  ~CudaEventPool();

  CudaEventHandle take();  // throws CudaFailure
  void give_back(CudaEventHandle event) noexcept;

 private:
  CudaRuntime& runtime_;
  const int device_;
  std::mutex mutex_;  // guards free_
  std::vector<CudaEventHandle> free_;
};

// The memory that all recordings of a device share. The runtime outlives it.
class CudaGraphMemory {
 public:
  explicit CudaGraphMemory(CudaRuntime& runtime)
      : runtime_(runtime), handle_(runtime.make_graph_memory()) {}
  CudaGraphMemory(const CudaGraphMemory&) = delete;
  CudaGraphMemory& operator=(const CudaGraphMemory&) = delete;
  ~CudaGraphMemory() { runtime_.drop_graph_memory(handle_); }

  CudaGraphMemoryHandle get() const { return handle_; }

 private:
  CudaRuntime& runtime_;
  const CudaGraphMemoryHandle handle_;
};

// When a CUDA event was passed, on the clock of the host.
//
// CUDA only tells the time between two events, in single precision. So there is an anchor: an
// event on an idle stream whose moment the host saw, renewed every few seconds, because both the
// precision and the agreement of two clocks are lost over hours. Good to some ten microseconds.
// Renewing waits for the GPU, so threads that launch work only ask; those that call back keep it.
//
// Thread-safe. The runtime outlives it.
class CudaClock {
 public:
  CudaClock(CudaRuntime& runtime, int device);
  CudaClock(const CudaClock&) = delete;
  CudaClock& operator=(const CudaClock&) = delete;
  ~CudaClock();

  // `event` is done. Throws CudaFailure.
  Clock::time_point time_of(CudaEventHandle event);
  // Renews the anchor where `event`, which is done, is far from it. Waits. Throws CudaFailure.
  void keep_near(CudaEventHandle event);

 private:
  void renew_anchor();

  CudaRuntime& runtime_;
  const CudaStreamHandle stream_;  // nothing else ever runs on it
  std::mutex renewing_;            // held while spare_ is recorded; taken before mutex_
  CudaEventHandle spare_ = nullptr;
  std::mutex mutex_;  // guards everything below
  CudaEventHandle anchor_ = nullptr;
  Clock::time_point anchored_at_;
};

// The time in which at least one of many intervals ran, whatever the order they become known in.
// Not thread-safe.
class IntervalUnion {
 public:
  void add(Clock::time_point begin, Clock::time_point end) {
    if (end <= begin) {
      return;
    }
    auto next = parts_.upper_bound(begin);
    if (next != parts_.begin() && std::prev(next)->second >= begin) {
      --next;
    }
    while (next != parts_.end() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      total_ -= Seconds(next->second - next->first);
      next = parts_.erase(next);
    }
    parts_.emplace(begin, end);
    total_ += Seconds(end - begin);
    forget_long_ago();
  }
  Seconds total() const { return total_; }

 private:
  // Streams of a device are never so far apart that an interval could still touch these.
  void forget_long_ago() {
    constexpr std::size_t kKept = 4096;
    if (parts_.size() > kKept) {
      parts_.erase(parts_.begin(), std::next(parts_.begin(), kKept / 2));
    }
  }

  std::map<Clock::time_point, Clock::time_point> parts_;  // disjoint, by their beginning
  Seconds total_{0};
};

// How long a CUDA device was busy, from pairs of events around everything its streams were given.
//
// Counts the time from the first launch of a task to its end, but not what the host held it up: a
// task that ends as soon as the host has launched the last of it ran dry in between, and for how
// long is not known to be less than the host was launching. NVML's figure is reported beside it.
//
// Thread-safe. Runtime, events and clock outlive it.
class CudaActivity {
 public:
  CudaActivity(CudaRuntime& runtime, CudaEventPool& events, CudaClock& clock)
      : runtime_(runtime), events_(events), clock_(clock) {}
  CudaActivity(const CudaActivity&) = delete;
  CudaActivity& operator=(const CudaActivity&) = delete;
  ~CudaActivity();

  // What the host launched, in its own time; nothing where it only starts it, as a copy.
  struct Launch {
    Clock::time_point began;
    Clock::time_point returned;
  };
  // Takes over both events, which were recorded on one stream.
  void add(CudaEventHandle begin, CudaEventHandle end, std::optional<Launch> launch);
  // Sums what is done. A device that is lost stays at what it was.
  Seconds total();

 private:
  struct Stretch {
    CudaEventHandle begin;
    CudaEventHandle end;
    std::optional<Launch> launch;
  };
  void harvest() noexcept;
  void drop(const Stretch& stretch) noexcept;

  CudaRuntime& runtime_;
  CudaEventPool& events_;
  CudaClock& clock_;
  std::mutex mutex_;  // guards everything below
  std::deque<Stretch> pending_;
  IntervalUnion busy_;
};

// Blocks of device memory that the backend handed out, on all devices of a run, by address: copies
// are told of bytes in the middle of a block. Thread-safe.
class CudaBlocks {
 public:
  struct Block {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    int device = 0;
  };
  void add(const Block& block);
  void remove(std::byte* begin) noexcept;
  std::optional<Block> find(const std::byte* address) const;

 private:
  mutable std::mutex mutex_;  // guards blocks_
  std::map<const std::byte*, Block> blocks_;
};

// The memory of a card as libtorch's allocator counts it; the limit is the allocator's, too.
class CudaBudget : public MemoryBudget {
 public:
  CudaBudget(DeviceId device, Bytes limit, std::shared_ptr<CudaRuntime> runtime)
      : MemoryBudget(device, limit), runtime_(std::move(runtime)) {}

  void reset_peak() noexcept override { runtime_->reset_peak(device().index); }
  // All zero once the device is lost.
  MemoryUse use() const override;

 private:
  const std::shared_ptr<CudaRuntime> runtime_;  // shared with everything else of the device
};

class CudaCore {
 public:
  CudaCore(std::shared_ptr<CudaRuntime> shared_runtime,
           std::shared_ptr<CudaBlocks> shared_blocks,
           DeviceId device,
           std::optional<Bytes> limit);

  // Runs `call` and throws what a failure means for the run.
  void guarded(const std::function<void()>& call, std::optional<Bytes> asked = {}) const;
  std::exception_ptr to_run_error(const CudaFailure& failure,
                                  std::optional<Bytes> asked = {}) const;

  const std::shared_ptr<CudaRuntime> runtime;  // shared with pinned blocks, which may outlive it
  const std::shared_ptr<CudaBlocks> blocks;    // shared by the devices of a run
  const DeviceId id;
  const CudaFacts facts;
  const CudaBudget budget;
  CudaEventPool events;
  const CudaGraphMemory graph_memory;
  CudaClock clock;
  CudaActivity busy;
  CudaActivity copying;
  std::atomic<std::int64_t> copied_bytes = 0;
  std::atomic<std::int64_t> host_waits = 0;
};

}  // namespace qanat
