// From a configuration to a trained model: data sets, devices, pipeline, trainer and checkpoints,
// wired, owned for the time of the run and taken down in order.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/device_plan.h"
#include "base/message.h"
#include "base/progress.h"
#include "base/retry.h"
#include "config/load_config.h"
#include "launch/replica_place.h"
#include "locale/translator.h"
#include "metrics/journal.h"
#include "pipeline/row_source.h"
#include "train/train_observer.h"
#include "train/train_progress.h"
#include "training/train_inputs.h"

namespace qanat {

class ProcessGroup;  // its header needs libtorch's

// What the run is told, and whom it tells. Everything referred to outlives the run.
struct TrainRequest {
  LoadedConfig config;
  Symbols symbols = Symbols::plain;
  TrainObserver& observer;
  std::function<void(const MessageArg&)> say;  // a line about how the run starts
  ProgressFn measuring;                        // of the data set
  ProgressFn predicting = {};                  // of the mel that a vocoder learns from
  // The steps that are still to come are known: called before the first one.
  std::function<void(std::int64_t first_step, std::int64_t last_step)> starting;
  int uses_of_batch = 1;  // see TrainerOptions
  std::stop_token stop;
  const TrainInputs* inputs = nullptr;  // when the caller has read them; null: they are read
  // Who hears of what is journalled beside the journal, its header first; from several threads.
  std::vector<EventSink*> sinks = {};
  // Whether the observer is told, as notes, what holds the run back: see training/live_verdict.h.
  enum class Verdicts { none, live } verdicts = Verdicts::none;
  // See LoaderRequest: self-tests inject faults with it.
  std::function<std::unique_ptr<RowSource>(std::unique_ptr<RowSource>)> around_source = {};
  ReplicaPlace place = {};        // among processes that train together
  ProcessGroup* group = nullptr;  // they have met already; null: they meet, where there are several
  RowFn on_row = {};       // told of every row the loader fills, by its workers; may be absent
  RetryWait save_retry{};  // see TrainerOptions; shorter in tests
};

struct TrainSummary {
  TrainOutcome outcome;
  RunMode mode = RunMode::single_buffered;
  std::string model_device;
  std::int64_t parameters = 0;
  std::int64_t utterances = 0;               // trained on
  std::optional<std::int64_t> resumed_from;  // step
  nlohmann::json init_from;  // folder and step of the weights the run began with; null: random ones
  std::filesystem::path checkpoints;
  bool has_checkpoints = false;  // there is one in it
  std::filesystem::path journal;
};

nlohmann::json to_json(const TrainSummary& summary);

// Nothing when it was stopped before the first step. Throws Error when the data, the devices or
// the disk do not allow to train.
std::optional<TrainSummary> run_training(const TrainRequest& request);

}  // namespace qanat
