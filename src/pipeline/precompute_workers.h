// The threads of precompute(): they make features, the caller takes them in the order of the work.
//
// Worker w of n makes the items w, w + n, w + 2n, ... and has a buffer of its own; the caller
// empties the buffers in turn. So the order is that of the work whatever the workers' speed, and
// what is in memory is bounded by the buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/result.h"
#include "batch/batch_plan.h"
#include "pipeline/bounded_buffer.h"
#include "pipeline/row_source.h"

namespace qanat {

struct FeatureTask {
  std::uint32_t item = 0;  // of the RowSource
  ItemLength length;       // as the index knows it
};

struct MadeFeatures {
  std::vector<float> mel;  // [frames, mel_bins]
  std::vector<std::int32_t> tokens;
};

// Fixture. next() is for one thread; the destructor waits for the utterances being made.
class FeatureWorkers {
 public:
  // `source` and `tasks` outlive the workers.
  FeatureWorkers(const RowSource& source,
                 std::span<const FeatureTask> tasks,
                 int mel_bins,
                 int workers);
  FeatureWorkers(const FeatureWorkers&) = delete;
  FeatureWorkers& operator=(const FeatureWorkers&) = delete;
  ~FeatureWorkers() = default;

  // The features of the first task, then of the second, ...; nullopt after the last or when asked
  // to stop. Rethrows what a worker threw.
  std::optional<Result<MadeFeatures>> next(const std::stop_token& stop);

 private:
  using Buffer = BoundedBuffer<Result<MadeFeatures>>;

  void work(std::size_t worker, const std::stop_token& stop);
  Result<MadeFeatures> make(RowFiller& filler, const FeatureTask& task) const;

  const RowSource& source_;
  std::span<const FeatureTask> tasks_;
  std::size_t mel_bins_;
  std::size_t next_ = 0;
  std::vector<std::unique_ptr<Buffer>> buffers_;  // one per worker
  std::vector<std::jthread> threads_;             // last: use the fields above
};

}  // namespace qanat
