// Does the pipeline work on this machine, with these devices and this data? Five checks, in order:
// prerequisites, placement, the networks on the model GPU, transfer between the GPUs, short runs of
// the real pipeline on one device, on two, and with a replica on each.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>

#include "base/progress.h"
#include "config/run_config.h"
#include "validation/validate_report.h"

namespace qanat {

struct ValidateRequest {
  // Without GPU numbers: data GPU 0, model GPU 1; one device where there are fewer.
  // data.train_data is the folder of the data set.
  RunConfig config;
  int steps = 10;  // of each short run
  int rounds = 3;  // short runs of each mode, in turns; fewer carry no comparison
  std::stop_token stop;
  std::function<void(const ValidationCheck&)> on_check;  // called as each one ends
  ProgressFn progress = {};                              // steps of the short runs
  // A short run of two processes, each with a replica on a device of its own; steps and rows are
  // those of one of them. Absent: not measured; nothing: it failed.
  std::function<std::optional<ModeRun>(const RunConfig&)> run_replicas{};
};

// Checks that build on a failed one are skipped. When stopped, what has been checked so far.
ValidationReport validate(const ValidateRequest& request);

}  // namespace qanat
