// How a run ended. Values; no libtorch.
#pragma once

#include <cstdint>

#include "train/train_progress.h"

namespace qanat {

enum class TrainEnding { max_steps, all_epochs, early_stop, stopped };
const char* to_string(TrainEnding ending);

struct TrainOutcome {
  TrainEnding ending = TrainEnding::all_epochs;
  TrainProgress progress;
  std::int64_t steps = 0;  // of this call
};

}  // namespace qanat
