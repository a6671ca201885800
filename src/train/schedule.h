// The learning rate at a step: linear warm-up to a peak, then a cosine down to 5 % of it. A value.
#pragma once

#include <cstdint>
#include <optional>

#include "config/model_config.h"

namespace qanat {

struct Schedule {
  double peak = 1e-3;
  std::int64_t warmup = 1;  // steps until the peak
  std::int64_t total = 1;   // steps until the floor; it stays there
  double floor = 0.05;      // of the peak

  double learning_rate(std::int64_t step) const;  // of update `step`, counted from 0
  bool operator==(const Schedule&) const = default;
};

// What was configured; the rest follows from the size of the model.
struct ScheduleRequest {
  ModelSize size = ModelSize::tiny;
  std::optional<double> learning_rate;
  std::optional<std::int64_t> warmup;
  std::int64_t total = 1;
};

// A warm-up that was not asked for takes at most a tenth of the run.
Schedule make_schedule(const ScheduleRequest& request);

// Steps after which hard and soft alignment are pulled together: the aligner has to have found
// its way before.
std::int64_t default_binarisation_start(ModelSize size);

}  // namespace qanat
