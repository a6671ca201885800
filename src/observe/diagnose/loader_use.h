// What the loader did in the steady part of a run: its last reading less an early one, as shares
// that say why its workers were, or were not, fast enough.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/run_summary.h"
#include "metrics/log_histogram.h"

namespace qanat {

// Where the time went in which workers filled rows. The four add up to 1.
struct BusySplit {
  double computing = 0;
  double run_queue = 0;  // ready to run, but no processor was free
  double lock = 0;       // other workers held what was needed
  double blocked = 0;    // the rest: storage, as a rule
};

struct LoaderUse {
  double seconds = 0;  // that it is about
  int workers = 0;     // active at the end
  int window = 0;      // batches ahead of the consumer, at most
  int slots = 0;       // of the ring behind it; 0: unknown
  double rows = 0;     // filled
  // The share of the workers' time, not counting parked ones.
  double busy = 0;
  std::optional<BusySplit> split{};       // absent: the kernel did not say
  double work_per_batch = 0;              // s of all workers
  double empty = 0;                       // share of time the ready buffer was empty
  std::optional<double> process_cores{};  // that the whole process kept busy
  double faults_per_row = 0;              // pages that had to come from storage
  LogHistogram row_times{};
  std::vector<SlowRow> slowest{};
};

// From the first reading behind `first_batch` on, or of the whole run when the journal has no
// other reading. Nothing when it has none at all.
std::optional<LoaderUse> measure_loader(const RunSummary& summary, std::int64_t first_batch);

// Rows that take many times as long as most do: few of them, and much of the time.
struct Stragglers {
  double rows = 0;     // share of all
  double time = 0;     // share of the time of all
  double longest = 0;  // s
  double median = 0;   // s of a row
};
Stragglers find_stragglers(const LogHistogram& row_times);

}  // namespace qanat
