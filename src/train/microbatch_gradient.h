// The gradient of some rows of a batch, in steps that can be submitted one by one:
//
//   align -> search (on the host) -> decode -> losses -> backward
//         -> encode               ->
//
// With fetch() in between, where a device is not the host.
//
// search() and encode() may run at the same time, on two threads.
// Nothing is added to the model's gradient before backward() has succeeded, so a microbatch that
// runs out of memory anywhere can be dropped, split and done again.
#pragma once

#include <functional>

#include <torch/torch.h>

#include "model/xtts_model.h"
#include "train/speech_gradient.h"
#include "train/step_graphs.h"
#include "train/trained_model.h"

namespace qanat {

struct MicrobatchOptions {
  LossWeights weights;
  Precision precision = Precision::single;
  torch::Tensor loss_scale{};  // f32 []; undefined: gradients are as they are
  // Not owned; absent: everything is computed. With it, encode() and decode() leave their work to
  // backward(), which plays it from a recording where it can.
  StepGraphs* graphs = nullptr;
  bool check_every_operation = false;
};

class MicrobatchGradient {
 public:
  // `rows` makes the tensors; called by align(). `model` outlives the microbatch.
  MicrobatchGradient(TrainedModel& model,
                     const MicrobatchOptions& options,
                     std::function<ModelBatch()> rows);

  void align();
  // Starts the copy of what search() reads, where the host cannot read the device's memory; the
  // device continues meanwhile. search() may run once the stream has passed this point; without
  // fetch(), it waits for the device itself.
  void fetch();
  void search();
  void encode();
  void decode();
  void losses();
  // Adds to model.gradient and to `sums`, f32 [kLossSums], and releases all tensors.
  void backward(const torch::Tensor& sums);
  // All of them; with an undefined `sums` nothing is added: a trial.
  void run(const torch::Tensor& sums);
  void drop();

 private:
  TrainedModel& model_;
  const MicrobatchOptions options_;
  std::function<ModelBatch()> rows_;
  ModelBatch batch_;
  torch::Tensor row_weights_;
  Alignment alignment_;
  struct Fetched {
    torch::Tensor scores;
    torch::Tensor token_lengths;
    torch::Tensor mel_lengths;
  };
  Fetched fetched_;          // in the host's memory
  torch::Tensor durations_;  // search() writes nothing else
  EncodedText text_;         // encode() writes nothing else
  ModelOutput output_;
  torch::Tensor loss_;
  torch::Tensor loss_sums_;
};

}  // namespace qanat
