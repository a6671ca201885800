// One experiment: batches go to a consumer, a few to warm up and then those that are measured.
//
// Experiments differ in their consumer: nobody in particular, who takes batches as fast as they
// come, somebody with a trainer's pace (both below), a paced device (selftest/paced_run.h), a model
// (validation/validate_run.h). Faults are injected into the loader: LoaderRequest::around_source.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/progress.h"
#include "base/time.h"
#include "diagnose/data_profile.h"
#include "pipeline/loader.h"

namespace qanat {

// Takes batches. Used by one thread.
class BatchConsumer {
 public:
  virtual ~BatchConsumer() = default;

  // Takes the next batch and starts to work on it; nothing at the end of the data or when stopped.
  virtual std::optional<Delivery> take(const std::stop_token& stop) = 0;
  // Waits for the work that was started.
  virtual void finish() {}
};

// Takes batches from a loader, at a pace or as fast as they come. It is away for as long as a step
// takes: the processor is left to the loader, as a GPU leaves it.
class LoaderConsumer final : public BatchConsumer {
 public:
  // The loader outlives it.
  explicit LoaderConsumer(Loader& loader, std::optional<Seconds> step = {})
      : loader_(loader), step_(step) {}

  std::optional<Delivery> take(const std::stop_token& stop) override;

 private:
  Loader& loader_;
  const std::optional<Seconds> step_;
  std::optional<Clock::time_point> last_;
};

struct ExperimentRecord {
  std::optional<Seconds> first{};        // until the first batch of all; absent: there was none
  std::vector<Delivery> deliveries{};    // those that count
  Seconds wall{0};                       // that they took, with the work on them
  Seconds cpu{0};                        // of this process meanwhile, all threads
  std::optional<double> others_share{};  // of the cores, taken by other programs meanwhile
  bool complete = false;                 // neither stopped nor at the end of the data

  double seconds() const;  // sums over the deliveries
  double waited() const;
};

struct ExperimentRequest {
  BatchConsumer& consumer;
  std::int64_t warm_up = 0;                                       // batches before those that count
  std::int64_t steps = std::numeric_limits<std::int64_t>::max();  // batches that count, at most
  // Asked before every batch that counts: whether those so far are enough.
  std::function<bool(const ExperimentRecord&)> enough{};
  std::function<void()> on_warm{};  // before the first batch that counts
  ProgressFn progress{};            // batches, those of the warm-up included
  std::stop_token stop{};
};

ExperimentRecord run_experiment(const ExperimentRequest& request);

}  // namespace qanat
