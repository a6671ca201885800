#include "pipeline/batch_assembler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/thread.h"

namespace qanat {
namespace {

constexpr Watermarks kNoMarks{.low = std::numeric_limits<int>::max(), .high = 0};

// Adds the life time of the object to a counter.
class Stopwatch {
 public:
  explicit Stopwatch(TimeCounter& counter) : counter_(counter) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { counter_.add(seconds_since(start_)); }

 private:
  TimeCounter& counter_;
  const Clock::time_point start_ = Clock::now();
};

// Reads the clock only when the lock is taken.
std::unique_lock<std::mutex> lock_timed(std::mutex& mutex, TimeCounter& waited) {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) {
    const Stopwatch watch(waited);
    lock.lock();
  }
  return lock;
}

}  // namespace

BatchAssembler::BatchAssembler(PlanSequence plans,
                               MakePlanFn make_plan,
                               std::shared_ptr<BlockPool> pool,
                               PublishFn published,
                               const AssemblerOptions& options)
    : make_plan_(std::move(make_plan)),
      pool_(std::move(pool)),
      published_(std::move(published)),
      payload_(options.payload),
      max_blocks_(options.max_blocks),
      ready_(static_cast<std::size_t>(std::max(options.window, 1))),
      plans_(std::move(plans)),
      window_(options.window),
      ready_capacity_(std::max(options.window, 1)),
      workers_(options.workers),
      marks_(kNoMarks) {
  QANAT_CHECK(options.window >= 0 && options.window <= options.max_window);
  for (int i = 0; i < std::max(options.max_window, 1); ++i) {
    slots_.push_back(std::make_unique<BatchSlot>());
  }
  pool_->tell_when_given_back([this] {
    const std::lock_guard lock(mutex_);
    if (has_surplus()) {
      supply_.notify_one();
    }
    wake_another();
  });
  supplier_ = start_thread("blocks", [this](const std::stop_token& stop) { supply_blocks(stop); });
}

BatchAssembler::~BatchAssembler() {
  pool_->tell_when_given_back({});  // batches may outlive the assembler
}

std::optional<RowTask> BatchAssembler::claim(WorkerState& state, const std::stop_token& stop) {
  if (state.slot != nullptr && !stop.stop_requested()) {
    if (const auto task = take_row(*state.slot)) {
      return task;
    }
  }
  return claim_slowly(state, stop);
}

// A slot may have been published and reopened since the worker last used it. This is safe: a
// positive count belongs to the batch the slot holds now, that batch is the one being claimed (a
// batch is opened only when all before it are claimed), and it stays until this row is finished.
std::optional<RowTask> BatchAssembler::take_row(BatchSlot& slot) {
  const int left = slot.unclaimed.fetch_sub(1, std::memory_order_acquire);
  if (left <= 0) {
    return std::nullopt;
  }
  return RowTask{.slot = &slot, .row = slot.batch->rows() - left};
}

std::optional<RowTask> BatchAssembler::claim_slowly(WorkerState& state,
                                                    const std::stop_token& stop) {
  std::unique_lock lock = lock_timed(mutex_, state.counters.lock_wait);
  while (!stop.stop_requested() && !finished_) {
    if (state.number >= workers_) {
      wake_another();  // pass on a wake-up this worker will not use
      park(lock, state, stop);
    } else if (const auto epoch = plans_.wanted()) {
      make_plan(lock, *epoch);
    } else if (const auto task = claim_in_newest(state)) {
      wake_another();
      return task;
    } else if (gate() == Gate::open) {
      open_next();
    } else if (gate() == Gate::end) {
      break;
    } else {
      wait_for_work(lock, state, stop);
    }
  }
  return std::nullopt;
}

std::optional<RowTask> BatchAssembler::claim_in_newest(WorkerState& state) {
  if (!is_claimable()) {
    return std::nullopt;
  }
  state.slot = &slot_of(opened_ - 1);
  return take_row(*state.slot);
}

bool BatchAssembler::is_claimable() const {
  return opened_ > publishing_ && slot_of(opened_ - 1).unclaimed.load() > 0;
}

BatchAssembler::Gate BatchAssembler::gate() const {
  if (plans_.at_end()) {
    return Gate::end;
  }
  if (!plans_.is_ready()) {
    return Gate::no_plan;
  }
  const std::int64_t outstanding = opened_ - taken_;
  if (outstanding >= std::max(window_, asked_ ? 1 : 0)) {
    return Gate::full;
  }
  const PoolStats pool = pool_->stats();
  // A consumer that keeps its batches has borrowed every block. One more than the budget allows is
  // better than waiting for it forever.
  if (pool.lent >= max_blocks_ && outstanding > 0) {
    return Gate::full;
  }
  // Blocks are made by the thread that supplies them, without a lock: an allocator may wait for one
  // that a consumer holds (Python's).
  return pool.lent < pool.blocks ? Gate::open : Gate::no_block;
}

void BatchAssembler::open_next() {
  BatchSlot& slot = slot_of(opened_);
  slot.planned = plans_.take();
  const BatchSpec spec = slot.planned.spec();
  const BatchId id{.epoch = slot.planned.plan->epoch(), .index = slot.planned.index};
  slot.batch.emplace(pool_, make_layout(spec.shape, payload_), id, spec.bucket);
  slot.batch->set_place(spec.first_row, spec.full_rows);
  slot.complete = false;
  slot.bad_rows.store(0);
  slot.work_ns.store(0);
  slot.unfinished.store(spec.shape.rows);
  ++opened_;
  slot.unclaimed.store(spec.shape.rows, std::memory_order_release);
  supply_.notify_one();  // for the batch after it
}

void BatchAssembler::make_plan(std::unique_lock<std::mutex>& lock, std::int64_t epoch) {
  lock.unlock();
  SharedPlan plan = make_plan_(epoch);
  lock.lock();
  plans_.provide(std::move(plan));
  wake_another();
}

void BatchAssembler::park(std::unique_lock<std::mutex>& lock,
                          WorkerState& state,
                          const std::stop_token& stop) {
  const Stopwatch watch(state.counters.parked);
  unparked_.wait(lock, stop, [&] { return state.number < workers_ || finished_; });
}

void BatchAssembler::wait_for_work(std::unique_lock<std::mutex>& lock,
                                   WorkerState& state,
                                   const std::stop_token& stop) {
  const bool starved = gate() == Gate::no_plan;
  const Stopwatch watch(starved ? state.counters.starved : state.counters.blocked);
  supply_.notify_one();
  ++waiting_;
  work_.wait(lock, stop, [&] {
    return finished_ || state.number >= workers_ || is_claimable() || gate() == Gate::open ||
           gate() == Gate::end;
  });
  --waiting_;
}

// One at a time: the woken worker wakes the next one if there is more than it can do alone.
void BatchAssembler::wake_another() {
  if (waiting_ == 0) {
    return;  // busy workers check by themselves
  }
  if (is_claimable() || gate() == Gate::open) {
    work_.notify_one();
  } else if (gate() == Gate::no_block) {
    supply_.notify_one();
  }
}

void BatchAssembler::supply_blocks(const std::stop_token& stop) {
  try {
    std::unique_lock lock(mutex_);
    const auto is_wanted = [this] {
      return finished_ || has_surplus() || gate() == Gate::no_block;
    };
    while (supply_.wait(lock, stop, is_wanted) && !stop.stop_requested() && !finished_) {
      // Taken out with the lock, so that a block which the gate saw is there; freed without it.
      std::optional<SurplusBlocks> surplus;
      if (has_surplus()) {
        surplus.emplace(pool_->trim(blocks_to_keep(pool_->stats())));
      }
      lock.unlock();
      if (surplus) {
        surplus.reset();
      } else {
        pool_->add_block();
      }
      lock.lock();
      const PoolStats stats = pool_->stats();
      shrank_ = shrank_ && stats.blocks > blocks_to_keep(stats);
      wake_another();
    }
  } catch (...) {
    fail(std::current_exception());
  }
}

// A window full, and what the consumer holds.
std::int64_t BatchAssembler::blocks_to_keep(const PoolStats& stats) const {
  return window_ + stats.lent - (opened_ - taken_);
}

// Most blocks of a window are in use while it shrinks; they are freed as they come back.
bool BatchAssembler::has_surplus() const {
  if (!shrank_) {
    return false;
  }
  const PoolStats stats = pool_->stats();
  return stats.blocks > std::max(blocks_to_keep(stats), stats.lent);
}

bool BatchAssembler::finish(const RowTask& task) {
  // Release: the publishing thread sees this row's bytes. Acquire: the last one sees all rows.
  if (task.slot->unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  task.slot->complete = true;
  publish_complete();
  return true;
}

void BatchAssembler::publish_complete() {
  while (publishing_ < opened_ && slot_of(publishing_).complete && !finished_) {
    BatchSlot& slot = slot_of(publishing_);
    const std::optional<Error> objection =
        published_({.id = slot.batch->id(),
                    .rows = slot.batch->rows(),
                    .bad_rows = slot.bad_rows.load(),
                    .last_of_epoch = slot.planned.is_last_of_epoch()});
    if (objection) {
      end_run(std::make_exception_ptr(*objection));
      return;
    }
    slot.batch->set_bad_rows(slot.bad_rows.load());
    slot.batch->set_work(std::chrono::nanoseconds(slot.work_ns.load()));
    // Never waits: the buffer holds the whole window. Never refused: it is closed with finished_.
    QANAT_CHECK(ready_.push(*std::exchange(slot.batch, std::nullopt), {}));
    slot.planned = {};
    ++publishing_;
    published_more_.notify_all();
  }
  if (publishing_ == opened_ && plans_.at_end()) {
    end_run(nullptr);
  }
}

void BatchAssembler::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  end_run(std::move(failure));
}

void BatchAssembler::end_run(std::exception_ptr failure) {
  finished_ = true;
  ready_.fail(std::move(failure));  // without a failure: the end of the stream
  work_.notify_all();
  unparked_.notify_all();
  supply_.notify_all();
  published_more_.notify_all();
}

ReadyLevel BatchAssembler::wait_until_ready(int count,
                                            Seconds timeout,
                                            const std::stop_token& stop) const {
  std::unique_lock lock(mutex_);
  published_more_.wait_for(lock, stop, timeout, [&] {
    return finished_ || publishing_ - taken_ >= std::min(count, window_);
  });
  return {.batches = static_cast<int>(publishing_ - taken_), .ended = finished_};
}

std::optional<Batch> BatchAssembler::take(const std::stop_token& stop,
                                          std::optional<Seconds> timeout) {
  {
    const std::lock_guard lock(mutex_);
    asked_ = true;
    wake_another();
  }
  std::optional<Batch> batch = ready_.pop(stop, timeout);
  const std::lock_guard lock(mutex_);
  asked_ = false;
  if (!batch) {
    return std::nullopt;
  }
  const auto ready = static_cast<int>(publishing_ - taken_);
  marks_.low = std::min(marks_.low, ready - 1);
  marks_.high = std::max(marks_.high, ready);
  ++taken_;
  fit_ready_capacity();
  wake_another();
  return batch;
}

void BatchAssembler::set_window(int batches) {
  const std::lock_guard lock(mutex_);
  const int before =
      std::exchange(window_, std::clamp(batches, 0, static_cast<int>(slots_.size())));
  if (window_ != before) {
    shrank_ = window_ < before;
    supply_.notify_one();
  }
  fit_ready_capacity();
  wake_another();
}

// The window's size, but never less than what is in it: publishing must not wait.
void BatchAssembler::fit_ready_capacity() {
  const int needed = std::max({window_, static_cast<int>(opened_ - taken_), 1});
  if (needed != ready_capacity_) {
    ready_capacity_ = needed;
    ready_.set_capacity(static_cast<std::size_t>(needed));
  }
}

void BatchAssembler::set_workers(int workers) {
  const std::lock_guard lock(mutex_);
  workers_ = std::max(workers, 1);
  work_.notify_all();  // those that are no longer wanted park
  unparked_.notify_all();
}

Watermarks BatchAssembler::watermarks() const {
  const std::lock_guard lock(mutex_);
  return marks_;
}

void BatchAssembler::reset_watermarks() {
  const std::lock_guard lock(mutex_);
  marks_ = kNoMarks;
}

int BatchAssembler::outstanding() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(opened_ - taken_);
}

int BatchAssembler::window() const {
  const std::lock_guard lock(mutex_);
  return window_;
}

int BatchAssembler::workers() const {
  const std::lock_guard lock(mutex_);
  return workers_;
}

BatchSlot& BatchAssembler::slot_of(std::int64_t sequence) {
  return *slots_[static_cast<std::size_t>(sequence) % slots_.size()];
}

const BatchSlot& BatchAssembler::slot_of(std::int64_t sequence) const {
  return *slots_[static_cast<std::size_t>(sequence) % slots_.size()];
}

}  // namespace qanat
