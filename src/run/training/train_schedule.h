// How many steps a run has, and the learning rate of one that may have begun with another length.
#pragma once

#include <cstdint>
#include <optional>

#include "base/message.h"
#include "config/run_config.h"
#include "train/schedule.h"

namespace qanat {

// Updates of the weights in the whole run.
std::int64_t num_updates(const TrainingConfig& training, std::int64_t batches_per_epoch);

struct ScheduleChoice {
  Schedule schedule;
  std::optional<Message> note;  // what the user is told; absent: nothing has changed
};

// `stored` is the schedule of the checkpoint, absent in a new run and in checkpoints that have
// none; `total` are the steps of the run now, `step` is where it resumes. A stored schedule goes
// on, without a jump, unless --lr, --warmup-steps or --reset-schedule ask for another.
ScheduleChoice choose_schedule(const RunConfig& config,
                               const std::optional<Schedule>& stored,
                               std::int64_t total,
                               std::int64_t step);

}  // namespace qanat
