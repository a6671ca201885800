// Hands out the rows of batches in plan order and publishes finished batches in plan order.
//
// Between the two is the window: batches being filled or ready, bounded in number and, through
// the pool's blocks, in bytes. Inside a batch rows are claimed and finished by atomic counters; the
// lock is taken once per batch. A slow row holds back its own batch (and, since order is kept, the
// delivery of later ones), but not the filling of the rest of the window.
//
// A separate thread allocates blocks ahead of need: pinning one takes longer than filling it, and
// the workers meanwhile continue with the blocks that exist.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/error.h"
#include "batch/batch.h"
#include "batch/batch_plan.h"
#include "pipeline/bounded_buffer.h"
#include "pipeline/worker_counters.h"

namespace qanat {

// How far ahead of its consumer a loader is.
struct ReadyLevel {
  int batches = 0;     // ready and not taken
  bool ended = false;  // no more will come
};

// A batch being filled. The fields without a comment are written under the assembler's lock before
// `unclaimed` is set, and stay until the batch is published.
struct BatchSlot {
  // Rows not claimed yet; below 0 when workers asked after the last one.
  alignas(64) std::atomic<int> unclaimed{0};
  alignas(64) std::atomic<int> unfinished{0};
  std::atomic<int> bad_rows{0};          // whose planned utterance failed
  std::atomic<std::int64_t> work_ns{0};  // of all workers, on this batch
  PlannedBatch planned;
  std::optional<Batch> batch;
  bool complete = false;  // guarded by the assembler's lock
};

struct RowTask {
  BatchSlot* slot = nullptr;
  int row = 0;
};

// What the assembler knows of a worker.
struct WorkerState {
  int number = 0;
  WorkerCounters& counters;
  BatchSlot* slot = nullptr;  // where it claimed last
};

struct PublishedBatch {
  BatchId id;
  int rows = 0;
  int bad_rows = 0;  // whose planned utterance failed
  bool last_of_epoch = false;
};
// Told of every batch in plan order, before the consumer can have it. What it returns ends the run.
// Called under the assembler's lock: may not block or call back.
using PublishFn = std::function<std::optional<Error>(const PublishedBatch&)>;

struct AssemblerOptions {
  PayloadFormat payload{};
  int window = 1;  // batches; may be changed up to max_window; 0: one at a time, when asked for
  int max_window = 1;
  int max_blocks = 1;  // of the pool, lent to the window and the consumer together
  int workers = 1;     // how many are active; the others are parked; may be changed
};

// How many batches were ready when the consumer took one, since reset_watermarks().
struct Watermarks {
  int low = 0;   // fewest, without the one taken
  int high = 0;  // most, with it; 0 when none was taken
};

// Every method is thread-safe.
class BatchAssembler {
 public:
  using MakePlanFn = std::function<SharedPlan(std::int64_t epoch)>;

  BatchAssembler(PlanSequence plans,
                 MakePlanFn make_plan,
                 std::shared_ptr<BlockPool> pool,
                 PublishFn published,
                 const AssemblerOptions& options);
  BatchAssembler(const BatchAssembler&) = delete;
  BatchAssembler& operator=(const BatchAssembler&) = delete;
  ~BatchAssembler();

  // The next row to fill. Waits while the window is full, the worker is parked, or a plan is being
  // made; nullopt at the end, after a failure, or when asked to stop.
  std::optional<RowTask> claim(WorkerState& state, const std::stop_token& stop);
  // The row is filled. True when that completed its batch.
  bool finish(const RowTask& task);
  // Ends the run: the consumer gets the batches published before and then this.
  void fail(std::exception_ptr failure);

  // For the consumer: the next batch; see BoundedBuffer::pop().
  std::optional<Batch> take(const std::stop_token& stop,
                            std::optional<Seconds> timeout = std::nullopt);

  // See Loader::wait_until_ready().
  ReadyLevel wait_until_ready(int count, Seconds timeout, const std::stop_token& stop) const;

  void set_window(int batches);
  void set_workers(int workers);

  Watermarks watermarks() const;
  void reset_watermarks();
  BufferStats ready_stats() const { return ready_.stats(); }
  int outstanding() const;
  int window() const;
  int workers() const;

 private:
  enum class Gate { open, no_plan, no_block, full, end };

  static std::optional<RowTask> take_row(BatchSlot& slot);
  std::optional<RowTask> claim_slowly(WorkerState& state, const std::stop_token& stop);
  std::optional<RowTask> claim_in_newest(WorkerState& state);
  bool is_claimable() const;
  Gate gate() const;
  void open_next();
  void make_plan(std::unique_lock<std::mutex>& lock, std::int64_t epoch);
  void park(std::unique_lock<std::mutex>& lock, WorkerState& state, const std::stop_token& stop);
  void wait_for_work(std::unique_lock<std::mutex>& lock,
                     WorkerState& state,
                     const std::stop_token& stop);
  void wake_another();
  void supply_blocks(const std::stop_token& stop);
  std::int64_t blocks_to_keep(const PoolStats& stats) const;
  bool has_surplus() const;
  void publish_complete();
  void end_run(std::exception_ptr failure);
  BatchSlot& slot_of(std::int64_t sequence);
  const BatchSlot& slot_of(std::int64_t sequence) const;
  void fit_ready_capacity();

  const MakePlanFn make_plan_;
  const std::shared_ptr<BlockPool> pool_;  // shared with the batches that are out
  const PublishFn published_;
  const PayloadFormat payload_;
  const int max_blocks_;
  std::vector<std::unique_ptr<BatchSlot>> slots_;  // a ring, by sequence number
  BoundedBuffer<Batch> ready_;  // its own lock; taken inside mutex_, never the other way round

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable_any work_;
  std::condition_variable_any unparked_;
  std::condition_variable_any supply_;
  mutable std::condition_variable_any published_more_;
  PlanSequence plans_;
  int window_;
  int ready_capacity_;
  int workers_;
  int waiting_ = 0;              // workers in work_
  bool asked_ = false;           // the consumer waits in take()
  std::int64_t opened_ = 0;      // sequence numbers: batches opened,
  std::int64_t publishing_ = 0;  // published,
  std::int64_t taken_ = 0;       // and taken by the consumer
  bool finished_ = false;        // failed, or the last batch is published
  bool shrank_ = false;          // the window did, and not all of its blocks are freed yet
  Watermarks marks_;

  std::jthread supplier_;  // last: it uses everything above
};

}  // namespace qanat
