#include "device/host/host_event.h"

namespace qanat {

void EventPoint::pass(std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    if (at_) {
      return;
    }
    at_ = Clock::now();
    failure_ = std::move(failure);
  }
  changed_.notify_all();
}

bool EventPoint::passed() const {
  const std::lock_guard lock(mutex_);
  return at_.has_value();
}

bool EventPoint::wait(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [this] { return at_.has_value(); })) {
    return false;
  }
  if (failure_) {
    std::rethrow_exception(failure_);
  }
  return true;
}

std::optional<Clock::time_point> EventPoint::passed_at() const {
  const std::lock_guard lock(mutex_);
  return at_;
}

bool HostEvent::ready() const {
  const std::shared_ptr<EventPoint> point = current();
  return point == nullptr || point->passed();
}

void HostEvent::synchronise() {
  const std::shared_ptr<EventPoint> point = current();
  if (point == nullptr) {
    return;
  }
  if (!point->passed()) {
    ++host_waits_;
  }
  point->wait({});
}

std::optional<Clock::time_point> HostEvent::passed_at() const {
  const std::shared_ptr<EventPoint> point = current();
  return point == nullptr ? std::nullopt : point->passed_at();
}

std::shared_ptr<EventPoint> HostEvent::renew() {
  auto point = std::make_shared<EventPoint>();
  const std::lock_guard lock(mutex_);
  point_ = point;
  return point;
}

std::shared_ptr<EventPoint> HostEvent::current() const {
  const std::lock_guard lock(mutex_);
  return point_;
}

}  // namespace qanat
