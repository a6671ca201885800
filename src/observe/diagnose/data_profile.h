// How a loader delivered its batches: timing, period, queue, workers, and what it could feed.
// Computed from what was measured, so that reports can be tested without a loader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/recommendation.h"
#include "metrics/pipeline_stats.h"
#include "metrics/sample_summary.h"

namespace qanat {

// One batch as its consumer saw it.
struct Delivery {
  double seconds = 0;  // since the batch before; a paced consumer's own time included
  double wait = 0;     // of which the consumer was blocked
  std::int64_t frames = 0;
  std::int64_t padded_frames = 0;
  int rows = 0;
};

struct DataMeasurement {
  std::vector<Delivery> deliveries{};  // without the first batch
  double first_batch = 0;              // s from the start of the loader
  PipelineStats pipeline{};            // of the whole measurement
  std::optional<double> step{};        // s that a paced consumer keeps each batch; absent: unpaced
  double seconds_per_frame = 0;        // of speech
  std::int64_t batches_per_epoch = 0;
  int allowed_cores = 1;
};

struct StageCost {
  std::string name;  // decode, mel, tokens, copy
  double share = 0;  // of the time workers are busy
  double seconds_per_row = 0;
};

// Shares of the time there was.
struct QueueShares {
  double empty = 0;
  double partial = 0;
  double full = 0;
};

struct WorkerShares {
  int workers = 0;  // running at the end
  double busy = 0;
  double blocked = 0;  // the buffer was full: the consumer is slower
  double starved = 0;
  double parked = 0;
};

struct DataProfile {
  DataMeasurement measured{};
  WarmUp warm_up{};
  SampleSummary seconds{};  // between batches, after the warm-up
  Spread spread{};          // for equal work
  Periodicity periodicity{};
  std::optional<Cadence> cause{};  // of the pattern, where something known repeats like it
  double batches_per_second = 0;
  double speech_per_second = 0;  // seconds of speech, padding not counted
  double padding_share = 0;
  QueueShares queue{};
  WorkerShares workers{};
  std::vector<StageCost> stages{};
  // Only a paced consumer has these.
  std::optional<double> wait_share{};
  std::optional<double> ready_share{};   // batches that were there when asked for
  std::optional<Diagnosis> diagnosis{};  // by the rules a trainer is judged by
  std::vector<Recommendation> recommended{};
};

// Deliveries must not be empty.
DataProfile profile_data(DataMeasurement measured);

}  // namespace qanat
