// A consumer with a trainer's pace, and what it saw of the loader that fed it.
//
// Stands in for a trainer whose step takes a fixed time: it takes a batch, is busy for that time,
// takes the next. What it waits for batches is what a trainer would lose.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include <nlohmann/json.hpp>

#include "base/time.h"

namespace qanat {

struct Pace {
  double batches_per_second = 22;
  Seconds duration{15};
};

// One loader under one pace. The JSON form has the same names; seconds carry `_s`, memory `_mb`.
struct PacedReading {
  std::string name;
  int workers = 0;
  int batch = 0;  // utterances
  double wanted_batches_per_s = 0;
  double batches_per_s = 0;
  double wait_share = 0;  // of the consumer's time
  double cores = 0;       // CPU time over wall time, all workers
  Seconds first_batch{0};
  std::optional<double> memory_mb;  // most that was resident

  bool operator==(const PacedReading&) const = default;
};

nlohmann::json to_json(const PacedReading& reading);

// Takes one batch; false at the end of the stream or when asked to stop.
using TakeBatch = std::function<bool(const std::stop_token&)>;

// Fills the fields that are measured: rates, wait, cores, memory, and the first batch counted from
// `begin`. Ends early, with what it has, when `stop` is requested or the stream ends.
PacedReading consume_at_pace(const TakeBatch& take,
                             const Pace& pace,
                             Clock::time_point begin,
                             const std::stop_token& stop);

// CPU time of this process so far, all threads.
Seconds process_cpu_time();

}  // namespace qanat
