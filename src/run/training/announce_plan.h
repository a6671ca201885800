// What a run says before it starts: its devices, its processes, and settings without effect.
#pragma once

#include "app/device_plan.h"
#include "train/precision.h"
#include "training/train_session.h"

namespace qanat {

struct PlanChoice {
  const DevicePlan& plan;
  Precision precision = Precision::single;
};

void announce_plan(const TrainRequest& request,
                   const ProcessGroup& group,
                   const PlanChoice& choice);

}  // namespace qanat
