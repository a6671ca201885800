#include "pipeline/loader.h"

namespace qanat {
namespace {

void add_worker(PipelineStats& stats, const WorkerCounters& counters) {
  stats.workers.push_back({.rows = counters.rows.read(),
                           .busy = counters.busy.read(),
                           .blocked = counters.blocked.read(),
                           .starved = counters.starved.read(),
                           .parked = counters.parked.read(),
                           .lock_wait = counters.lock_wait.read(),
                           .major_faults = counters.major_faults.read()});
  if (counters.has_usage.load()) {
    stats.workers.back().cpu = counters.cpu.read();
  }
  if (counters.has_run_delay.load()) {
    stats.workers.back().run_delay = counters.run_delay.read();
  }
  for (std::size_t i = 0; i < LogHistogram::kBuckets; ++i) {
    stats.row_times.counts[i] += counters.row_times[i].read();
  }
  const std::int64_t fresh = counters.from_audio.read();
  const std::int64_t copied = counters.from_store.read() + counters.from_cache.read();
  stats.bad += counters.bad.read();
  stats.from_audio += fresh;
  stats.from_store += counters.from_store.read();
  stats.from_cache += counters.from_cache.read();
  stats.decode.done += fresh;
  stats.decode.dropped += counters.bad.read();
  stats.decode.busy += counters.decode.read();
  stats.mel.done += fresh;
  stats.mel.busy += counters.mel.read();
  stats.tokens.done += fresh;
  stats.tokens.busy += counters.tokens.read();
  stats.copy.done += copied;
  stats.copy.busy += counters.copy.read();
}

}  // namespace

PipelineStats Loader::stats() const {
  PipelineStats stats;
  stats.age = seconds_since(start_);
  for (const WorkerCounters& counters : counters_) {
    add_worker(stats, counters);
  }
  for (const SlowItem& row : slow_rows_.read()) {
    stats.slowest.push_back(
        {.file = source_->describe(row.item), .time = row.longest, .times = row.times});
  }
  stats.active_workers = assembler_.workers();
  stats.ready = assembler_.ready_stats();
  const PoolStats pool = pool_->stats();
  stats.window = {.batches = assembler_.outstanding(),
                  .limit = assembler_.window(),
                  .bytes = Bytes{pool.lent * pool.block_bytes.value},
                  .most_bytes = Bytes{pool.most_lent * pool.block_bytes.value},
                  .allocated = Bytes{pool.blocks * pool.block_bytes.value},
                  .budget = options_.budget};
  const std::lock_guard lock(delivered_mutex_);
  stats.consumer_busy = delivered_.busy;
  stats.batches = delivered_.batches;
  stats.rows = delivered_.rows;
  stats.frames = delivered_.frames;
  stats.padded_frames = delivered_.padded_frames;
  stats.bytes = delivered_.bytes;
  return stats;
}

}  // namespace qanat
