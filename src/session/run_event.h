// The journal's line of kind "run": what diagnosis has to know of a run beside its steps.
#pragma once

#include <cstdint>
#include <string>

#include "app/device_plan.h"
#include "metrics/journal.h"

namespace qanat {

struct RunFacts {
  RunMode mode = RunMode::single_buffered;
  std::string device{};  // of the model
  std::int64_t batches_per_epoch = 0;
  std::int64_t last_step = 0;
  int uses_of_batch = 1;  // see TrainerOptions
};

Event run_event(const RunConfig& config, const RunFacts& facts);

}  // namespace qanat
