// What a loader did since it was made: the numbers behind reports and diagnosis.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "metrics/flow_stats.h"

namespace qanat {

// A worker's time since it started: busy + blocked + starved + parked, and the little between.
struct WorkerStats {
  std::int64_t rows = 0;
  Seconds busy{0};     // filling rows
  Seconds blocked{0};  // the window was full: the consumer is slow
  Seconds starved{0};  // there was nothing to claim: the next epoch's plan was not ready
  Seconds parked{0};   // switched off by the autotuner
};

struct WindowStats {
  int batches = 0;  // being filled or ready, not yet taken
  int limit = 0;    // at most that many
  Bytes bytes;      // lent to the window and to the consumer
  Bytes allocated;  // by the pool, lent or not
  Bytes budget;
};

struct PipelineStats {
  Seconds age{0};
  std::vector<StageStats> stages;  // decode, mel, tokens, copy
  std::vector<WorkerStats> workers;
  int active_workers = 0;
  BufferStats ready;  // finished batches waiting for the consumer
  WindowStats window;
  WaitTime consumer_wait;    // calls of next() that had to wait
  Seconds consumer_busy{0};  // between the calls
  std::int64_t batches = 0;  // delivered
  std::int64_t rows = 0;     // delivered
  std::int64_t bad = 0;      // attempts to fill a row that failed; each was substituted
  std::int64_t from_audio = 0;
  std::int64_t from_store = 0;
  std::int64_t from_cache = 0;
  FrameCount frames;         // delivered, without padding
  FrameCount padded_frames;  // delivered, with padding
  Bytes bytes;               // delivered

  double padding_share() const {
    return padded_frames.value == 0
               ? 0.0
               : 1.0 - static_cast<double>(frames.value) / static_cast<double>(padded_frames.value);
  }
};

}  // namespace qanat
