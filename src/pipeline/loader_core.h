// The workings of a Loader: its threads and what they share. See loader.h.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "pipeline/bad_rows.h"
#include "pipeline/batch_assembler.h"
#include "pipeline/loader.h"
#include "pipeline/slow_rows.h"
#include "pipeline/tune_loop.h"
#include "pipeline/worker_counters.h"

namespace qanat {

class LoaderCore {
 public:
  LoaderCore(LoaderInputs inputs, const LoaderOptions& options, Position start);
  LoaderCore(const LoaderCore&) = delete;
  LoaderCore& operator=(const LoaderCore&) = delete;
  // Asks every worker to stop and waits for the rows being filled at this moment.
  ~LoaderCore();

  std::optional<Batch> next(const std::stop_token& stop);
  void report_step(Seconds own, Seconds waited);
  ReadyLevel wait_until_ready(int count, Seconds longest, const std::stop_token& stop) const {
    return assembler_.wait_until_ready(count, longest, stop);
  }
  Position position() const;
  PipelineStats stats() const;
  std::int64_t batches_per_epoch() const { return batches_per_epoch_; }
  const BucketEdges& edges() const { return edges_; }

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
  AssemblerOptions assembler_options() const;
  TuneLimits tune_limits() const;
  TuneSample sample() const;
  int num_threads() const { return options_.workers.value_or(options_.max_workers); }
  int max_blocks() const;
  void journal_start() const;

  void work(int number, const std::stop_token& stop);
  void fill_row(RowFiller& filler, const RowTask& task, WorkerSeat& seat);
  void finish_row(const RowTask& task, std::uint32_t item, const FilledRow& filled) const;
  void report_bad(const RowTask& task, std::uint32_t item, const Failure& why);
  void tune();
  void record_delivery(const Batch& batch);

  const LoaderOptions options_;
  const std::vector<ItemLength> lengths_;
  const std::vector<int> speakers_;
  const std::unique_ptr<RowSource> source_;
  EventSink* const journal_;
  const RowFn on_row_;
  const BucketEdges edges_;
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
