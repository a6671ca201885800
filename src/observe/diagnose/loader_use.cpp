#include "diagnose/loader_use.h"

#include <algorithm>

namespace qanat {
namespace {

// Fewer rows than this say little about how a worker spends its time.
constexpr double kMinRows = 16;
// A row this many times the median is no ordinary one.
constexpr double kFarOut = 6;

// Totals of workers, as far as shares are made of them.
struct Totals {
  double busy = 0;
  double blocked = 0;
  double starved = 0;
  double cpu = 0;
  double run_delay = 0;
  double lock = 0;
  double faults = 0;
  double rows = 0;
  bool has_usage = true;
};

Totals totals_of(const PipelineStats& stats) {
  Totals sum;
  for (const WorkerStats& worker : stats.workers) {
    sum.busy += worker.busy.count();
    sum.blocked += worker.blocked.count();
    sum.starved += worker.starved.count();
    sum.lock += worker.lock_wait.count();
    sum.faults += static_cast<double>(worker.major_faults);
    sum.rows += static_cast<double>(worker.rows);
    if (worker.rows > 0) {
      sum.has_usage = sum.has_usage && worker.cpu && worker.run_delay;
      sum.cpu += worker.cpu.value_or(Seconds{0}).count();
      sum.run_delay += worker.run_delay.value_or(Seconds{0}).count();
    }
  }
  return sum;
}

Totals operator-(const Totals& later, const Totals& before) {
  return {.busy = later.busy - before.busy,
          .blocked = later.blocked - before.blocked,
          .starved = later.starved - before.starved,
          .cpu = later.cpu - before.cpu,
          .run_delay = later.run_delay - before.run_delay,
          .lock = later.lock - before.lock,
          .faults = later.faults - before.faults,
          .rows = later.rows - before.rows,
          .has_usage = later.has_usage};
}

LogHistogram difference(const LogHistogram& later, const LogHistogram& before) {
  LogHistogram result;
  for (std::size_t i = 0; i < LogHistogram::kBuckets; ++i) {
    result.counts[i] = std::max<std::int64_t>(0, later.counts[i] - before.counts[i]);
  }
  return result;
}

// Readings are a few rows old, so the parts need not fit exactly.
std::optional<BusySplit> split_of(const Totals& total) {
  if (!total.has_usage || total.rows < kMinRows || total.busy <= 0) {
    return std::nullopt;
  }
  BusySplit split{.computing = std::clamp(total.cpu / total.busy, 0.0, 1.0),
                  .run_queue = std::clamp(total.run_delay / total.busy, 0.0, 1.0),
                  .lock = std::clamp(total.lock / total.busy, 0.0, 1.0)};
  const double known = split.computing + split.run_queue + split.lock;
  if (known > 1) {
    split.computing /= known;
    split.run_queue /= known;
    split.lock /= known;
  }
  split.blocked = std::max(0.0, 1 - known);
  return split;
}

// A journal may hold anything.
int sane(int count) {
  return std::clamp(count, 0, 1 << 16);
}

// The reading to count from: the first one behind the warm-up that leaves most of the run.
PipelineStats start_of(const RunSummary& summary, std::int64_t first_batch) {
  const PipelineStats& last = *summary.pipeline;
  const PipelineStats* best = nullptr;
  for (const PipelineStats& reading : summary.readings) {
    const bool leaves_enough = reading.age.count() < 0.6 * last.age.count();
    if (leaves_enough && (best == nullptr || best->batches < first_batch)) {
      best = &reading;
    }
  }
  return best != nullptr ? *best : PipelineStats{};
}

}  // namespace

std::optional<LoaderUse> measure_loader(const RunSummary& summary, std::int64_t first_batch) {
  if (!summary.pipeline) {
    return std::nullopt;
  }
  const PipelineStats& last = *summary.pipeline;
  const PipelineStats first = start_of(summary, first_batch);
  const Totals total = totals_of(last) - totals_of(first);
  const double present = total.busy + total.blocked + total.starved;
  const double batches = static_cast<double>(last.batches) - static_cast<double>(first.batches);
  const Occupancy& ready = last.ready.occupancy;
  const double watched = (ready.total() - first.ready.occupancy.total()).count();
  LoaderUse use{.seconds = (last.age - first.age).count(),
                .workers = sane(last.active_workers),
                .window = sane(last.window.limit),
                .slots = last.ring ? sane(last.ring->slots) : 0,
                .rows = total.rows,
                .split = split_of(total),
                .row_times = difference(last.row_times, first.row_times),
                .slowest = last.slowest};
  use.busy = present > 0 ? total.busy / present : 0;
  use.work_per_batch = batches > 0 ? total.busy / batches : 0;
  use.empty = watched > 0 ? (ready.empty - first.ready.occupancy.empty).count() / watched : 0;
  use.faults_per_row = total.rows > 0 ? total.faults / total.rows : 0;
  if (last.process && (first.process || summary.readings.empty()) && use.seconds > 0) {
    const Seconds before = first.process ? first.process->cpu : Seconds{0};
    use.process_cores = (last.process->cpu - before).count() / use.seconds;
  }
  return use;
}

Stragglers find_stragglers(const LogHistogram& row_times) {
  Stragglers found{.median = row_times.median().count()};
  const double all = static_cast<double>(row_times.total());
  double time = 0;
  double far_time = 0;
  for (std::size_t i = 0; i < LogHistogram::kBuckets; ++i) {
    const auto count = static_cast<double>(row_times.counts[i]);
    const double middle = LogHistogram::middle_of(i).count();
    time += count * middle;
    if (count > 0 && middle > kFarOut * found.median) {
      far_time += count * middle;
      found.rows += count / all;
      found.longest = middle;
    }
  }
  found.time = time > 0 ? far_time / time : 0;
  return found;
}

}  // namespace qanat
