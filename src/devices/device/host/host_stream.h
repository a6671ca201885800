// DeviceStream of the host backend: a thread that runs submitted work in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/time.h"
#include "device/device.h"
#include "pipeline/bounded_buffer.h"

namespace qanat {

// One recording of an event: passed once, then for ever. Shared by the event and by every stream
// and thread that waits for this recording, none of which need outlive the others.
class EventPoint {
 public:
  // The first call wins.
  void pass(std::exception_ptr failure);
  bool passed() const;
  // Returns false when stopped first. Throws what pass() was given.
  bool wait(const std::stop_token& stop);
  std::optional<Clock::time_point> passed_at() const;

 private:
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable_any changed_;
  std::optional<Clock::time_point> at_;
  std::exception_ptr failure_;
};

// DeviceEvent of the host backend.
class HostEvent : public DeviceEvent {
 public:
  explicit HostEvent(std::atomic<std::int64_t>& host_waits) : host_waits_(host_waits) {}

  bool ready() const override;
  void synchronise() override;
  std::optional<Clock::time_point> passed_at() const override;

  // The point that waits refer to from now on.
  std::shared_ptr<EventPoint> renew();
  // Null when never recorded.
  std::shared_ptr<EventPoint> current() const;

 private:
  std::atomic<std::int64_t>& host_waits_;  // the device's counter
  mutable std::mutex mutex_;               // guards point_
  std::shared_ptr<EventPoint> point_;
};

// How long at least one of several overlapping activities was running. Thread-safe.
class BusyClock {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    if (running_++ == 0) {
      since_ = Clock::now();
    }
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) {
      total_ += seconds_since(since_);
    }
  }
  Seconds read() const {
    const std::lock_guard lock(mutex_);
    return running_ == 0 ? total_ : total_ + seconds_since(since_);
  }

 private:
  mutable std::mutex mutex_;  // guards everything below
  int running_ = 0;
  Clock::time_point since_;
  Seconds total_{0};
};

// Keeps a clock running for a scope.
class BusyScope {
 public:
  explicit BusyScope(BusyClock& clock) : clock_(clock) { clock_.begin(); }
  BusyScope(const BusyScope&) = delete;
  BusyScope& operator=(const BusyScope&) = delete;
  ~BusyScope() { clock_.end(); }

 private:
  BusyClock& clock_;
};

// Lets a copy take as long as a real link would. Absent fields cost nothing extra.
struct LinkModel {
  std::optional<double> bytes_per_second = {};
  Seconds latency{0};
};

// What the streams of one device share. Owned by the device.
struct HostDeviceClocks {
  BusyClock busy;
  BusyClock copying;
  std::atomic<std::int64_t> copied_bytes = 0;
  std::atomic<std::int64_t> host_waits = 0;
};

struct HostStreamOptions {
  std::string name;
  LinkModel link;
  std::function<void()> on_thread_start;  // binds the thread to the device: cores, budget
};

class HostStream : public DeviceStream {
 public:
  HostStream(HostStreamOptions options, HostDeviceClocks& clocks);
  HostStream(const HostStream&) = delete;
  HostStream& operator=(const HostStream&) = delete;
  ~HostStream() override;

  void submit(std::function<void()> work) override;
  void then(std::function<void()> callback) override;
  void copy(std::span<std::byte> to, std::span<const std::byte> from) override;
  void record(DeviceEvent& event) override;
  void wait(const DeviceEvent& event) override;
  void synchronise() override;

 private:
  // One entry of the FIFO: `run` is skipped once the stream has failed or stops; `settle` is not.
  struct Entry {
    std::function<void(const std::stop_token&)> run;
    std::function<void(std::exception_ptr)> settle;  // called exactly once, with the failure if any
  };

  void push(Entry entry);
  void work(const std::stop_token& stop);
  void run_copy(std::span<std::byte> to,
                std::span<const std::byte> from,
                const std::stop_token& stop);
  std::exception_ptr failure() const;

  const HostStreamOptions options_;
  HostDeviceClocks& clocks_;
  BoundedBuffer<Entry> entries_;
  mutable std::mutex mutex_;  // guards failure_
  std::exception_ptr failure_;
  std::jthread thread_;  // last: uses the fields above; joined after the entry that runs
};

}  // namespace qanat
