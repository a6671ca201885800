#include "session/ring_observer.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/thread.h"
#include "device/out_of_memory.h"

namespace qanat {
namespace {

DeviceUse use_of(const Device& device, std::string role) {
  const DeviceStats stats = device.stats();
  const MemoryUse memory = device.memory().use();
  return {.role = std::move(role),
          .name = to_string(device.id()),
          .busy = stats.busy,
          .copying = stats.copying,
          .copied = stats.copied,
          .host_waits = stats.host_waits,
          .memory = memory.used,
          .most_memory = memory.high_water,
          .memory_limit = memory.limit};
}

constexpr Seconds kPeriod{0.25};
constexpr std::int64_t kMinBatches = 8;
// A batch that arrives this shortly after the step before it has ended cost nothing.
constexpr Seconds kUnfelt{0.0005};

// To the microsecond; nothing when it did not begin or end.
std::optional<StageTime> to_stage(const Interval& interval, Clock::time_point origin) {
  if (!interval.complete()) {
    return std::nullopt;
  }
  const auto seconds = [origin](Clock::time_point time) {
    const auto micro = std::chrono::duration_cast<std::chrono::microseconds>(time - origin);
    return static_cast<double>(micro.count()) * 1e-6;
  };
  return StageTime{.begin = seconds(*interval.begin), .end = seconds(*interval.end)};
}

}  // namespace

PipelineStats read_pipeline(const Loader& loader,
                            const TransferRing& ring,
                            const RunDevices& devices) {
  PipelineStats stats = loader.stats();
  stats.process = read_process_usage();
  const RingStats ring_stats = ring.stats();
  stats.ring = RingUse{.slots = ring_stats.slots,
                       .ready = ring_stats.ready.occupancy,
                       .starved = ring_stats.ready.pop_wait,
                       .free_wait = ring_stats.free.pop_wait};
  stats.devices.push_back(use_of(*devices.model, "model"));
  if (devices.data != nullptr) {
    stats.devices.push_back(use_of(*devices.data, "data"));
  }
  return stats;
}

bool ReadingSchedule::is_due(Clock::time_point now) {
  if (now < due_) {
    return false;
  }
  due_ = now + std::clamp((now - start_) / kPerAge, kShortest, kLongest);
  return true;
}

void SlotLog::fail(std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }
  close();
}

void SlotLog::rethrow_failure() const {
  const std::lock_guard lock(mutex_);
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

double ConsumerStats::readiness() const {
  return steps == 0 ? 1.0 : 1.0 - static_cast<double>(waited_steps) / static_cast<double>(steps);
}

double ConsumerStats::wait_share() const {
  const Seconds total = own + waited;
  return total.count() > 0 ? waited / total : 0.0;
}

RingObserver::RingObserver(const ObserverParts& parts) : parts_(parts) {
  period_.begin = Clock::now();
  if (parts_.journal != nullptr) {
    parts_.journal->record(RingStart{.slots = parts_.ring.stats().slots,
                                     .least_slots = parts_.limits.least,
                                     .most_slots = parts_.limits.most,
                                     .slot_bytes = parts_.slot_bytes,
                                     .device = to_string(parts_.devices.model->id())});
  }
  thread_ = start_thread("ring-observer", [this](const std::stop_token&) { watch(); });
}

RingObserver::~RingObserver() {
  parts_.log->close();
  thread_.join();
}

void RingObserver::watch() {
  try {
    while (const std::optional<SlotTimes> times = parts_.log->next()) {
      observe(*times);
      const std::lock_guard lock(mutex_);
      ++observed_;
      counted_more_.notify_all();
    }
  } catch (...) {
    parts_.log->fail(std::current_exception());
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  counted_more_.notify_all();
}

void RingObserver::observe(const SlotTimes& times) {
  if (parts_.journal != nullptr) {
    journal_slot(times);
    if (readings_.is_due(Clock::now())) {
      parts_.journal->record(read_pipeline(parts_.loader, parts_.ring, parts_.devices));
    }
  }
  if (!times.train.end) {
    return;
  }
  const auto pace = end_before_ ? step_pace(times, *end_before_) : std::nullopt;
  end_before_ = times.train.end;
  if (!pace) {
    return;
  }
  parts_.loader.report_step(pace->own, pace->waited);
  {
    const std::lock_guard lock(mutex_);
    ++stats_.steps;
    stats_.own += pace->own;
    stats_.waited += pace->waited;
    stats_.waited_steps += pace->waited > kUnfelt ? 1 : 0;
  }
  ++period_.batches;
  ++batches_;
  sums_.load += times.load.length();
  sums_.stage += times.stage.length();
  sums_.prepare += times.prepare.length();
  sums_.copy += times.copy.length();
  sums_.step += pace->own;
  period_.waited += pace->waited;
  slack_ = std::min(slack_.value_or(pace->slack), pace->slack);
  if (period_.batches >= kMinBatches && *times.train.end - period_.begin >= kPeriod) {
    end_period(*times.train.end);
  }
}

void RingObserver::journal_slot(const SlotTimes& times) const {
  parts_.journal->record(SlotRecord{.epoch = times.batch.epoch,
                                    .batch = times.batch.index,
                                    .slot = times.slot,
                                    .work = times.work,
                                    .bytes = times.bytes,
                                    .load = to_stage(times.load, origin_),
                                    .stage = to_stage(times.stage, origin_),
                                    .prepare = to_stage(times.prepare, origin_),
                                    .copy = to_stage(times.copy, origin_),
                                    .train = to_stage(times.train, origin_)});
}

void RingObserver::end_period(Clock::time_point now) {
  const auto batches = static_cast<double>(batches_);
  RingPeriod seen = sums_;
  for (Seconds* sum : {&seen.load, &seen.stage, &seen.prepare, &seen.copy, &seen.step}) {
    *sum /= batches;
  }
  seen.slots = parts_.ring.stats().slots;
  seen.wait_share = period_.waited / Seconds(now - period_.begin);
  seen.calm_periods = calm_periods_;
  seen.too_few = too_few_;
  seen.slack = slack_.value_or(Seconds{0});
  SlotLimits limits = parts_.limits;
  if (!fits_budget()) {
    limits.most = seen.slots;
  }
  const SlotDecision decision = decide_slots(seen, limits);
  const bool is_calm = decision.reason.empty() && seen.wait_share <= 0.01;
  calm_periods_ = is_calm ? calm_periods_ + 1 : 0;
  if (!is_calm) {
    slack_.reset();
  }
  if (decision.slots > seen.slots) {
    too_few_ = std::max(too_few_, seen.slots);
  }
  period_ = Period{.begin = now};
  if (!decision.reason.empty()) {
    apply(decision, seen.slots);
  }
}

// One more slot beside the most that was ever in use.
bool RingObserver::fits_budget() const {
  const MemoryUse use = parts_.devices.model->memory().use();
  return !use.limit || use.high_water + parts_.slot_bytes <= *use.limit;
}

void RingObserver::apply(const SlotDecision& decision, int before) {
  std::string reason = decision.reason;
  try {
    parts_.ring.set_slots(decision.slots);
  } catch (const OutOfMemory& full) {  // the data device's budget, or a model that grew meanwhile
    parts_.ring.set_slots(before);
    reason += std::string("; stays, because ") + full.what();
  }
  if (parts_.journal != nullptr) {
    parts_.journal->record(AutotuneChange{
        .slots = parts_.ring.stats().slots, .slots_before = before, .slots_reason = reason});
  }
}

ConsumerStats RingObserver::stats() const {
  const std::int64_t added = parts_.log->added();
  std::unique_lock lock(mutex_);
  counted_more_.wait(lock, [&] { return observed_ >= added || ended_; });
  return stats_;
}

}  // namespace qanat
