// A short run of the real trainer, for tools that measure: the same data, pipeline and model, no
// checkpoints, renders or validations unless asked for, and the summary of its journal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "config/load_config.h"
#include "diagnose/dual_profile.h"
#include "history/run_history.h"
#include "training/train_session.h"

namespace qanat {

// What a measured run does besides training, as often as the configuration says.
struct SideWork {
  bool save = false;
  bool validate = false;
  bool render = false;
};

struct MeasuredRunRequest {
  LoadedConfig config;
  std::int64_t steps = 60;
  // Takes journal.jsonl and run.yaml; empty: a temporary one, gone when the run is over. What it
  // held before stays, and is not resumed from.
  std::filesystem::path folder{};
  SayFn say{};            // a line about the run
  ProgressFn progress{};  // steps
  std::stop_token stop{};
  SideWork side_work{};
  // Every batch is trained on so many times; see TrainerOptions.
  int uses_of_batch = 1;
  std::vector<EventSink*> sinks{};      // see TrainRequest
  const TrainInputs* inputs = nullptr;  // likewise
};

struct MeasuredRun {
  TrainSummary summary;
  RunSummary run_summary;
  RunHistory history;
};

// What the trainer is told: as many steps as asked for, whatever the epochs, from the beginning.
LoadedConfig measured_config(const MeasuredRunRequest& request);

// Nothing when it was stopped before the first step; fewer steps than asked for when it was stopped
// later. Throws Error as run_training() does.
std::optional<MeasuredRun> run_measured(const MeasuredRunRequest& request);

// One turn of a comparison: a run, and what other programs took of the machine.
struct MeasuredTurn {
  DualRun run;
  RunHistory history;
};

std::optional<MeasuredTurn> run_turn(const MeasuredRunRequest& request);

// The same in several processes of this machine, as the first of them saw it. `program` trains:
// qanat itself. Needs a folder; `say` is told why they failed, and nothing is returned then, nor
// when they were stopped.
std::optional<MeasuredTurn> run_replica_turn(const MeasuredRunRequest& request,
                                             const std::filesystem::path& program,
                                             int processes);

}  // namespace qanat
