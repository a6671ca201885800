// What a run does differently by what it trains: which networks, what their checkpoints say of
// them, what is validated and rendered. Everything else of a run is in train_run.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "base/message.h"
#include "base/progress.h"
#include "batch/bucket_edges.h"
#include "checkpoint/checkpoint.h"
#include "config/run_config.h"
#include "features/feature_store_folder.h"
#include "speech/evaluation_renderer.h"
#include "train/train_task.h"
#include "training/train_inputs.h"

namespace qanat {

// What a task may use while it prepares.
struct PrepareRequest {
  std::filesystem::path folder;  // of the run's checkpoints
  ProgressFn progress;
  std::stop_token stop;
  std::function<void(const MessageArg&)> tell;  // a note for the user
  FolderShare share{};  // of what is made once and kept: others make the rest
};

// For the thread of the run, but for what is said to be the stream's.
class RunTask {
 public:
  RunTask() = default;
  RunTask(const RunTask&) = delete;
  RunTask& operator=(const RunTask&) = delete;
  virtual ~RunTask() = default;

  // What a checkpoint says of the network: the part of state.json that is needed to use its
  // weights.
  virtual nlohmann::json state() const = 0;
  // The run goes on with this checkpoint. Throws Error, with the remedy, when it is of another
  // network.
  virtual void resume(const LoadedCheckpoint& loaded) = 0;
  // It is new, and begins with the weights of this one.
  virtual void begin_with(const LoadedCheckpoint& initial) = 0;

  // Makes what rows of batches hold beside the recordings; may take long. Before the pipeline, in
  // one process of a machine at a time. False when stopped.
  virtual bool prepare(const PrepareRequest& /*request*/) { return true; }
  // What it has made for the training set; null: nothing.
  virtual std::shared_ptr<const PredictedMel> predicted() const { return nullptr; }

  // Makes the networks, with random weights; once, on the stream they belong to.
  virtual TrainTask& make(torch::Device device) = 0;
  // Takes what fits of the checkpoint that begin_with() was told of; on the stream. Returns what
  // the user is told.
  virtual Message take(const LoadedCheckpoint& initial) = 0;
  // Reads what is validated on; `warn` is told of what cannot be read.
  virtual void load_validation(const std::function<void(const MessageArg&)>& warn) = 0;

  // Renders into a folder of the step with these EMA weights; absent: there is nothing to render.
  using RenderFn = std::function<EvaluationRender(std::int64_t step, const TensorMap& weights)>;
  virtual RenderFn make_renderer(const std::filesystem::path& folder) = 0;
};

// As training.task says. Both outlive it.
std::unique_ptr<RunTask> make_run_task(const RunConfig& config, const TrainInputs& inputs);
std::unique_ptr<RunTask> make_speech_run(const RunConfig& config, const TrainInputs& inputs);
std::unique_ptr<RunTask> make_vocoder_run(const RunConfig& config, const TrainInputs& inputs);

// The shape that takes the most memory: what a run tries before its first step.
BatchShape largest_shape(const BucketEdges& edges);

}  // namespace qanat
