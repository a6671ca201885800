#include "device/cuda/cuda_core.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <utility>

#include "metrics/step_breakdown.h"

namespace qanat {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

// A float counts 8 s of milliseconds in steps of half a microsecond.
constexpr float kFar = 8'000;
constexpr int kAttempts = 3;  // the quickest one was disturbed least

CudaFacts read_facts(CudaRuntime& runtime, DeviceId device) {
  try {
    return runtime.facts(device.index);
  } catch (const CudaFailure& failure) {
    std::rethrow_exception(to_error(failure, device, {}));
  }
}

}  // namespace

CudaEventPool::~CudaEventPool() {
  for (const CudaEventHandle event : free_) {
    runtime_.drop_event(event);
  }
}

CudaEventHandle CudaEventPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      const CudaEventHandle event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  return runtime_.make_event(device_);
}

void CudaEventPool::give_back(CudaEventHandle event) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    free_.push_back(event);
  } catch (const std::bad_alloc&) {
    runtime_.drop_event(event);
  }
}

CudaClock::CudaClock(CudaRuntime& runtime, int device)
    : runtime_(runtime),
      stream_(runtime.make_stream(device)),
      spare_(runtime.make_event(device)),
      anchor_(runtime.make_event(device)) {
  renew_anchor();
}

CudaClock::~CudaClock() {
  runtime_.drop_event(anchor_);
  runtime_.drop_event(spare_);
  runtime_.drop_stream(stream_);
}

void CudaClock::renew_anchor() {
  Clock::duration quickest = Clock::duration::max();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Clock::time_point before = Clock::now();
    runtime_.record(spare_, stream_);
    runtime_.synchronise(spare_);
    const Clock::duration took = Clock::now() - before;
    if (took < quickest) {
      quickest = took;
      const std::lock_guard lock(mutex_);
      std::swap(anchor_, spare_);
      anchored_at_ = before + took / 2;
    }
  }
}

Clock::time_point CudaClock::time_of(CudaEventHandle event) {
  const std::lock_guard lock(mutex_);
  const Milliseconds since(static_cast<double>(runtime_.milliseconds(anchor_, event)));
  return anchored_at_ + std::chrono::duration_cast<Clock::duration>(since);
}

void CudaClock::keep_near(CudaEventHandle event) {
  const std::lock_guard one_at_a_time(renewing_);
  const bool is_far = [&] {
    const std::lock_guard lock(mutex_);
    return runtime_.milliseconds(anchor_, event) > kFar;
  }();
  if (is_far) {
    renew_anchor();
  }
}

CudaActivity::~CudaActivity() {
  for (const Stretch& stretch : pending_) {
    drop(stretch);
  }
}

void CudaActivity::drop(const Stretch& stretch) noexcept {
  events_.give_back(stretch.begin);
  events_.give_back(stretch.end);
}

void CudaActivity::add(CudaEventHandle begin, CudaEventHandle end, std::optional<Launch> launch) {
  const std::lock_guard lock(mutex_);
  pending_.push_back({.begin = begin, .end = end, .launch = launch});
  harvest();
}

Seconds CudaActivity::total() {
  const std::lock_guard lock(mutex_);
  harvest();
  return busy_.total();
}

void CudaActivity::harvest() noexcept {
  try {
    while (!pending_.empty() && runtime_.is_done(pending_.front().end)) {
      const Stretch stretch = pending_.front();
      const Clock::time_point begin = clock_.time_of(stretch.begin);
      const Clock::time_point end = clock_.time_of(stretch.end);
      const Seconds held =
          stretch.launch ? held_by_host(begin, end, stretch.launch->began, stretch.launch->returned)
                         : Seconds{0};
      busy_.add(begin + std::chrono::duration_cast<Clock::duration>(held), end);
      pending_.pop_front();
      drop(stretch);
    }
  } catch (const CudaFailure&) {
    // The failure reaches those who wait for the work; its duration stays unknown.
  }
}

void CudaBlocks::add(const Block& block) {
  const std::lock_guard lock(mutex_);
  blocks_[block.begin] = block;
}

void CudaBlocks::remove(std::byte* begin) noexcept {
  const std::lock_guard lock(mutex_);
  blocks_.erase(begin);
}

std::optional<CudaBlocks::Block> CudaBlocks::find(const std::byte* address) const {
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) {
    return std::nullopt;
  }
  const Block& block = std::prev(after)->second;
  return address < block.begin + block.bytes ? std::optional(block) : std::nullopt;
}

MemoryUse CudaBudget::use() const {
  CudaMemoryUse use;
  try {
    use = runtime_->memory_use(device().index);
  } catch (const CudaFailure&) {
    // For reports only; work on the device reports the loss.
  }
  return {.limit = limit(),
          .used = use.used,
          .peak = use.peak,
          .high_water = use.high_water,
          .refusals = use.refusals,
          .allocations = use.allocations};
}

CudaCore::CudaCore(std::shared_ptr<CudaRuntime> shared_runtime,
                   std::shared_ptr<CudaBlocks> shared_blocks,
                   DeviceId device,
                   std::optional<Bytes> limit)
    : runtime(std::move(shared_runtime)),
      blocks(std::move(shared_blocks)),
      id(device),
      facts(read_facts(*runtime, device)),
      budget(device, std::min(limit.value_or(facts.memory), facts.memory), runtime),
      events(*runtime, device.index),
      graph_memory(*runtime),
      clock(*runtime, device.index),
      busy(*runtime, events, clock),
      copying(*runtime, events, clock) {
  if (limit && *limit < facts.memory) {
    guarded([&] {
      runtime->set_memory_fraction(
          id.index, static_cast<double>(limit->value) / static_cast<double>(facts.memory.value));
    });
  }
}

std::exception_ptr CudaCore::to_run_error(const CudaFailure& failure,
                                          std::optional<Bytes> asked) const {
  const MemoryUse use = budget.use();
  return to_error(
      failure, id, {.asked = asked, .used = use.used, .limit = use.limit.value_or(facts.memory)});
}

void CudaCore::guarded(const std::function<void()>& call, std::optional<Bytes> asked) const {
  try {
    call();
  } catch (const CudaFailure& failure) {
    std::rethrow_exception(to_run_error(failure, asked));
  }
}

}  // namespace qanat
