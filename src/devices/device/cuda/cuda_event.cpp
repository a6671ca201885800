#include "device/cuda/cuda_event.h"

#include <utility>

namespace qanat {
namespace {

CudaEventHandle make_event_handle(CudaCore& core) {
  CudaEventHandle handle = nullptr;
  core.guarded([&] { handle = core.events.take(); });
  return handle;
}

}  // namespace

CudaEvent::CudaEvent(CudaCore& core) : core_(core), handle_(make_event_handle(core)) {}

CudaEvent::~CudaEvent() {
  core_.events.give_back(handle_);
}

CudaEventHandle CudaEvent::point() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::recorded ? handle_ : nullptr;
}

std::exception_ptr CudaEvent::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void CudaEvent::record_on(CudaStreamHandle stream) {
  core_.guarded([&] { core_.runtime->record(handle_, stream); });
  const std::lock_guard lock(mutex_);
  state_ = State::recorded;
  failure_ = nullptr;
}

void CudaEvent::record_failure(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  state_ = State::failed;
  failure_ = std::move(failure);
  failed_at_ = Clock::now();
}

bool CudaEvent::ready() const {
  const CudaEventHandle recorded = point();
  bool done = true;
  if (recorded != nullptr) {
    core_.guarded([&] { done = core_.runtime->is_done(recorded); });
  }
  return done;
}

void CudaEvent::synchronise() {
  if (const std::exception_ptr failed = failure()) {
    std::rethrow_exception(failed);
  }
  const CudaEventHandle recorded = point();
  if (recorded == nullptr) {
    return;
  }
  core_.guarded([&] {
    if (!core_.runtime->is_done(recorded)) {
      ++core_.host_waits;
      core_.runtime->synchronise(recorded);
    }
  });
}

std::optional<Clock::time_point> CudaEvent::passed_at() const {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::recorded) {
      return state_ == State::failed ? std::optional(failed_at_) : std::nullopt;
    }
  }
  if (!ready()) {
    return std::nullopt;
  }
  Clock::time_point time;
  core_.guarded([&] { time = core_.clock.time_of(handle_); });
  return time;
}

}  // namespace qanat
