// DeviceEvent of the host backend.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>

#include "device/device.h"

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

}  // namespace qanat
