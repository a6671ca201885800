// The learning rate at a step: linear warm-up to a peak, then a cosine down to 5 % of it. A value.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "config/run_config.h"

namespace qanat {

struct Schedule {
  double peak = 1e-3;
  std::int64_t warmup = 1;  // steps until the peak
  std::int64_t total = 1;   // steps until the floor; it stays there
  double floor = 0.05;      // of the peak
  // Where a run was given another number of steps: the cosine begins here, and not at the peak.
  struct Anchor {
    std::int64_t step = 0;
    double rate = 0;

    bool operator==(const Anchor&) const = default;
  };
  std::optional<Anchor> anchor{};

  double learning_rate(std::int64_t step) const;  // of update `step`, counted from 0
  bool operator==(const Schedule&) const = default;
};

// What was configured; the rest follows from the size of the model.
struct ScheduleRequest {
  TrainingTask task = TrainingTask::speech;
  ModelSize size = ModelSize::tiny;
  std::optional<double> learning_rate;
  std::optional<std::int64_t> warmup;
  std::int64_t total = 1;
};

// A warm-up that was not asked for takes at most a tenth of the run.
Schedule make_schedule(const ScheduleRequest& request);

// The schedule of a run that resumes at `step` with another number of steps: its rate is that of
// `stored` up to there, and falls to the floor by the new end, so it never jumps.
Schedule continue_schedule(const Schedule& stored, std::int64_t total, std::int64_t step);

nlohmann::json to_json(const Schedule& schedule);
// Fails, naming it, when a field is missing or invalid.
Result<Schedule> to_schedule(const nlohmann::json& json);

// Steps after which the binarisation loss starts: the soft alignment must have formed before.
std::int64_t default_binarisation_start(ModelSize size);

}  // namespace qanat
