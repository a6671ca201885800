// DeviceStream of the host backend: a thread that runs submitted work in order.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "device/device.h"
#include "device/host/busy_clock.h"
#include "device/host/host_event.h"
#include "pipeline/bounded_buffer.h"

namespace qanat {

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
