// One run of training, its inputs read and its processes met: devices, pipeline, model and trainer,
// made, used and taken down in order. For train_session.cpp.
#pragma once

#include <optional>

#include "app/device_plan.h"
#include "replicas/process_group.h"
#include "training/train_inputs.h"
#include "training/train_session.h"

namespace qanat {

// What a run knows of the processes that it is one of.
struct ReplicaRun {
  ProcessGroup& group;
  DevicePlan plan;
  int processes = 1;  // as in RunIdentity
};

// Nothing when it was stopped before the first step.
std::optional<TrainSummary> run_train(const TrainRequest& request,
                                      const ReplicaRun& replica,
                                      TrainInputs inputs);

}  // namespace qanat
