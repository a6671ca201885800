#include "train/background_work.h"

#include <utility>

#include "base/thread.h"

namespace qanat {

BackgroundWork::BackgroundWork(const std::string& name) {
  thread_ = start_thread(name, [this](const std::stop_token&) { work(); });
}

BackgroundWork::~BackgroundWork() {
  jobs_.close();
  thread_.join();
}

bool BackgroundWork::is_idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

void BackgroundWork::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
  if (failure_) {
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

void BackgroundWork::reserve() {
  wait();
  const std::lock_guard lock(mutex_);
  busy_ = true;
}

void BackgroundWork::start(std::function<void()> job) {
  if (!jobs_.push(std::move(job), {})) {
    cancel();
  }
}

void BackgroundWork::cancel() {
  end(nullptr);
}

void BackgroundWork::work() {
  while (std::optional<std::function<void()>> job = jobs_.pop({})) {
    std::exception_ptr failure;
    try {
      (*job)();
    } catch (...) {
      failure = std::current_exception();
    }
    *job = nullptr;  // frees what it held before anyone learns that it is done
    end(failure);
  }
}

void BackgroundWork::end(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  busy_ = false;
  failure_ = std::move(failure);
  changed_.notify_all();
}

}  // namespace qanat
