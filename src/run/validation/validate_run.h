// Short runs and single copies, timed: what the checks of `qanat validate` are made of.
#pragma once

#include <memory>
#include <stop_token>

#include "base/progress.h"
#include "session/device_pipeline.h"
#include "training/train_inputs.h"
#include "validation/validate_report.h"

namespace qanat {

struct TrialRequest {
  RunConfig config;
  const TrainInputs& inputs;
  int steps = 20;   // measured ones
  int warm_up = 2;  // before them
  std::stop_token stop;
  ProgressFn progress = {};  // of all steps
};

// Trains the configured task for a few steps with the real pipeline, in the mode that the
// configuration asks for, after trying the largest shape as a run does. Nothing when stopped.
// Throws Error when it does not work, among other things when the loss is not finite.
std::optional<ModeRun> run_trial(const TrialRequest& request);

struct CopyFigures {
  double gigabytes_per_s = 0;
  Seconds per_batch{0};
  bool exact = false;  // every byte arrived
};

// Copies `bytes` from one device to another a few times. On the stream of the one that receives.
CopyFigures measure_copy(Device& from, Device& to, Bytes bytes);

// Where a model's memory and work were found.
struct PlacementFigures {
  Bytes model_used;  // on the model device after the model was made there
  Bytes data_used;   // by the model on the data device: none
  Seconds model_busy{0};
  std::int64_t parameters = 0;
};

// Makes the networks of the task on the model device and lets them learn one batch of silence.
PlacementFigures try_model(RunDevices& devices, const RunConfig& config, const TrainInputs& inputs);

}  // namespace qanat
