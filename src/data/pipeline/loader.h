// The loader: from a plan to finished host batches.
//
//   plan_epoch -> workers claim rows in plan order -> the last row of a batch publishes it, in plan
//   order -> ready buffer -> next()
//
// Which batches come, and every byte in them, depends on the inputs, options and start position
// only: not on the number of workers, their speed, or when the process was restarted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"
#include "batch/batch.h"
#include "batch/batch_plan.h"
#include "metrics/journal.h"
#include "metrics/pipeline_stats.h"
#include "pipeline/autotuner.h"
#include "pipeline/bad_rows.h"
#include "pipeline/batch_assembler.h"
#include "pipeline/row_source.h"
#include "pipeline/slow_rows.h"
#include "pipeline/worker_counters.h"

namespace qanat {

// How the autotuner learns the consumer's pace.
enum class PaceSource {
  calls,     // from the time between calls of next()
  reported,  // from report_step(): a buffer behind the loader takes batches ahead of the consumer
};

struct LoaderOptions {
  BatchingConfig batching{};  // of one process
  PayloadFormat payload{};
  std::uint64_t seed = 0;
  int rank = 0;
  int world = 1;
  // How many processes the batches of a step were cut for: each is so many times `batching` in all,
  // and is shared by however many processes there are. Absent: those that there are. A run that
  // goes on with more or fewer of them keeps it, and with it its batches and their order.
  std::optional<int> group = std::nullopt;
  std::optional<std::int64_t> epochs =
      std::nullopt;  // the stream ends after that many; absent: it does not end

  // Threads. Absent: the autotuner uses as few as keep the consumer fed, up to max_workers, which
  // is the cores this process may use less those the consumer needs.
  std::optional<int> workers = std::nullopt;
  int max_workers = 1;
  std::optional<int> first_workers =
      std::nullopt;  // where the autotuner starts; absent: at the most
  PaceSource pace = PaceSource::calls;
  std::vector<int> cores{};  // that the threads stay on; none: any

  // Batches ahead of the consumer, being filled or ready. Absent: autotuned, up to max_window.
  // Either way no more than the budget holds. 0: none is begun before next() asks for it.
  std::optional<int> window = std::nullopt;
  int max_window = 50;
  Bytes budget = mebibytes(1024);  // for all blocks, lent or not

  double max_bad_fraction = 0.1;  // of the utterances of an epoch; above it the run stops
  LastBatch last = LastBatch::kept;
};

// What a loader works on.
struct LoaderInputs {
  std::vector<ItemLength> lengths{};         // of every utterance
  std::vector<int> speakers{};               // of every utterance; empty: all are of one speaker
  std::vector<double> weights{};             // of every utterance; empty: each comes once an epoch
  std::unique_ptr<RowSource> source{};       // its item numbers are positions in `lengths`
  std::unique_ptr<BlockAllocator> blocks{};  // absent: plain host memory
  EventSink* journal = nullptr;              // not owned; outlives the loader; may be absent
  RowFn on_row{};                            // who traces rows; may be absent
  BadRowFn on_bad{};                         // who is told of every failure; may be absent
};

// The batches that all processes share, as the plan has them.
BatchingConfig shared_batching(const LoaderOptions& options);

// The state of a loader: the batch that next() returns next. Resuming at it costs the same at any
// position. All processes share every batch, so it means the same to any number of them.
struct Position {
  std::int64_t epoch = 0;
  std::int64_t batch = 0;

  bool operator==(const Position&) const = default;
};

// next() is for one consumer thread; the other methods may be called from any thread.
class Loader {
 public:
  // Starts filling at once. Throws Error when there is nothing to load, `start` is past the end of
  // its epoch, or one batch does not fit the budget.
  Loader(LoaderInputs inputs, const LoaderOptions& options, Position start = {});
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  // Waits for the rows being filled at this moment, and for nothing else.
  ~Loader();

  // The next batch, in plan order; nullopt at the end of the stream, when asked to stop or after
  // the timeout, and the same batch comes next then. Throws Error when a worker failed or too many
  // utterances are bad. Batches are leases: one that is kept takes its part of the budget until it
  // is destroyed.
  std::optional<Batch> next(const std::stop_token& stop = {},
                            std::optional<Seconds> timeout = std::nullopt);

  // A step of the consumer, who worked for `own` and waited for data for `waited`; counts with
  // PaceSource::reported only.
  void report_step(Seconds own, Seconds waited);
  // Waits until `count` batches (at most a window) are ready, or no more will come; at most for
  // `timeout`.
  ReadyLevel wait_until_ready(int count, Seconds timeout, const std::stop_token& stop) const {
    return assembler_.wait_until_ready(count, timeout, stop);
  }

  Position position() const;
  PipelineStats stats() const;
  std::int64_t batches_per_epoch() const { return batches_per_epoch_; }
  // The largest batches of this process.
  const BucketEdges& edges() const { return rank_edges_; }

 private:
  // What the consumer did and got.
  struct Delivered {
    Position position{};
    std::optional<Clock::time_point> returned = std::nullopt;  // when next() returned last
    Seconds busy{0};
    Seconds reported_wait{0};
    std::int64_t batches = 0;
    std::int64_t rows = 0;
    FrameCount frames{};
    FrameCount padded_frames{};
    Bytes bytes{};
  };

  SharedPlan make_plan(std::int64_t epoch) const;
  PlanSequence first_plans(Position start);
  // Tells the source what comes.
  void expect(const BatchPlan& plan, std::int64_t first_batch) const;
  AssemblerOptions assembler_options() const;
  TuneLimits tune_limits() const;
  TuneSample sample() const;
  int num_threads() const { return options_.workers.value_or(options_.max_workers); }
  int max_blocks() const;
  // What more or fewer shapes would waste, for the journal: which number helps is known here only.
  std::map<std::string, double> padding_by_edges() const;
  void journal_start() const;

  void work(int number, const std::stop_token& stop);
  void fill_row(RowFiller& filler, const RowTask& task, WorkerState& state);
  void finish_row(const RowTask& task, std::uint32_t item, const FilledRow& filled) const;
  void report_bad(const RowTask& task, std::uint32_t item, const Failure& why);
  void tune();
  void record_delivery(const Batch& batch);

  const LoaderOptions options_;
  const std::vector<ItemLength> lengths_;
  const std::vector<int> speakers_;
  const std::vector<double> weights_;
  const std::unique_ptr<RowSource> source_;
  EventSink* const journal_;
  const RowFn on_row_;
  const BadRowFn on_bad_;
  const BucketEdges edges_;                // of all processes
  const BucketEdges rank_edges_;           // of this one
  const std::shared_ptr<BlockPool> pool_;  // shared with the batches that are out
  const Clock::time_point start_ = Clock::now();
  std::int64_t batches_per_epoch_ = 0;
  BadRows bad_;
  BatchAssembler assembler_;
  std::vector<WorkerCounters> counters_;
  SlowRows slow_rows_;
  TuneLoop tune_;

  mutable std::mutex delivered_mutex_;  // guards delivered_
  Delivered delivered_;

  std::vector<std::jthread> workers_;  // last: they use everything above
};

}  // namespace qanat
