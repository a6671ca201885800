#include "device/host/host_stream.h"

#include <condition_variable>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/thread.h"

namespace qanat {
namespace {

// As deep as the launch queue of a real GPU: deeper than any loop submits ahead.
constexpr std::size_t kHostQueueDepth = 1024;

// Lets `end` pass, as the emulated wire would; a stop ends it early.
void occupy_link_until(Clock::time_point end, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, stop, end, [] { return false; });
}

}  // namespace

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

HostStream::HostStream(HostStreamOptions options, HostDeviceClocks& clocks)
    : options_(std::move(options)), clocks_(clocks), entries_(kHostQueueDepth) {
  thread_ = start_thread(options_.name, [this](const std::stop_token& stop) { work(stop); });
}

HostStream::~HostStream() {
  thread_.request_stop();
  entries_.close();
  thread_.join();
}

void HostStream::push(Entry entry) {
  const auto settle = entry.settle;
  if (!entries_.push(std::move(entry), {}) && settle) {
    settle(std::make_exception_ptr(Error("{}: the stream is closed", options_.name)));
  }
}

void HostStream::submit(std::function<void()> work) {
  if (const std::exception_ptr failed = failure()) {
    std::rethrow_exception(failed);
  }
  push({.run =
            [this, work = std::move(work)](const std::stop_token&) {
              const BusyScope busy(clocks_.busy);
              work();
            },
        .settle = nullptr});
}

void HostStream::then(std::function<void()> callback) {
  push({.run = nullptr,
        .settle = [callback = std::move(callback)](const std::exception_ptr&) { callback(); }});
}

void HostStream::copy(std::span<std::byte> to, std::span<const std::byte> from) {
  QANAT_CHECK(to.size() == from.size()) << "copy of " << from.size() << " into " << to.size();
  push({.run = [this, to, from](const std::stop_token& stop) { run_copy(to, from, stop); },
        .settle = nullptr});
}

void HostStream::record(DeviceEvent& event) {
  push({.run = nullptr,
        .settle = [point = static_cast<HostEvent&>(event).renew()](std::exception_ptr failure) {
          point->pass(std::move(failure));
        }});
}

void HostStream::wait(const DeviceEvent& event) {
  const std::shared_ptr<EventPoint> point = static_cast<const HostEvent&>(event).current();
  if (point == nullptr) {
    return;
  }
  push({.run = [point](const std::stop_token& stop) { point->wait(stop); }, .settle = nullptr});
}

void HostStream::synchronise() {
  auto point = std::make_shared<EventPoint>();
  ++clocks_.host_waits;
  push({.run = nullptr,
        .settle = [point](std::exception_ptr failure) { point->pass(std::move(failure)); }});
  point->wait({});
}

void HostStream::run_copy(std::span<std::byte> to,
                          std::span<const std::byte> from,
                          const std::stop_token& stop) {
  const BusyScope busy(clocks_.copying);
  const Clock::time_point begin = Clock::now();
  if (!from.empty()) {
    std::memcpy(to.data(), from.data(), from.size());
  }
  clocks_.copied_bytes += static_cast<std::int64_t>(from.size());
  Seconds wire = options_.link.latency;
  if (options_.link.bytes_per_second) {
    wire += Seconds(static_cast<double>(from.size()) / *options_.link.bytes_per_second);
  }
  const Clock::time_point end = begin + std::chrono::duration_cast<Clock::duration>(wire);
  if (end > Clock::now()) {
    occupy_link_until(end, stop);
  }
}

void HostStream::work(const std::stop_token& stop) {
  if (options_.on_thread_start) {
    options_.on_thread_start();
  }
  // The buffer is drained without the token: entries that will not run still have to settle, or
  // those who wait for their events would wait forever.
  while (std::optional<Entry> entry = entries_.pop({})) {
    std::exception_ptr failed = failure();
    if (!failed && stop.stop_requested()) {
      failed =
          std::make_exception_ptr(Error("{}: stopped before its work was done", options_.name));
    }
    if (!failed && entry->run) {
      try {
        entry->run(stop);
      } catch (...) {
        failed = std::current_exception();
        const std::lock_guard lock(mutex_);
        failure_ = failed;
      }
    }
    if (entry->settle) {
      entry->settle(failed);
    }
  }
}

std::exception_ptr HostStream::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace qanat
