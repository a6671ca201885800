#include "monitor/bounded_caller.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/thread.h"

namespace qanat {

struct BoundedCaller::Desk {
  std::mutex mutex;  // guards work and done
  std::condition_variable_any changed;
  std::function<void()> work;  // empty: nothing to do
  bool done = false;
  std::jthread thread;  // not touched by itself

  static void serve(const std::shared_ptr<Desk>& desk, const std::stop_token& stop) {
    std::unique_lock lock(desk->mutex);
    while (desk->changed.wait(lock, stop, [&] { return static_cast<bool>(desk->work); })) {
      const std::function<void()> work = std::exchange(desk->work, nullptr);
      lock.unlock();
      work();
      lock.lock();
      desk->done = true;
      desk->changed.notify_all();
    }
  }
};

BoundedCaller::BoundedCaller(std::string name) : desk_(std::make_shared<Desk>()) {
  desk_->thread = start_thread(
      std::move(name), [desk = desk_](const std::stop_token& stop) { Desk::serve(desk, stop); });
}

BoundedCaller::~BoundedCaller() {
  std::jthread thread = std::move(desk_->thread);
  if (lost_) {
    thread.request_stop();
    thread.detach();  // the only one of the program: see the header
  }
}

bool BoundedCaller::call(std::function<void()> work, Seconds timeout) {
  if (lost_) {
    return false;
  }
  std::unique_lock lock(desk_->mutex);
  desk_->done = false;
  desk_->work = std::move(work);
  desk_->changed.notify_all();
  lost_ = !desk_->changed.wait_for(lock, timeout, [this] { return desk_->done; });
  return !lost_;
}

}  // namespace qanat
