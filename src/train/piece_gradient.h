// The gradient of some rows of a batch, in steps that can be submitted one by one:
//
//   align -> search (on the host) -> decode -> losses -> backward
//         -> encode               ->
//
// With fetch() in between, where a device is not the host.
//
// search() and encode() may run at the same time, on two threads.
// Nothing is added to the model's gradient before backward() has succeeded, so a piece that runs
// out of memory anywhere can be thrown away and done again in halves.
#pragma once

#include <functional>

#include <torch/torch.h>

#include "model/losses.h"
#include "train/autocast.h"
#include "train/speech_gradient.h"
#include "train/step_graphs.h"
#include "train/trained_model.h"

namespace qanat {

struct PieceOptions {
  LossWeights weights;
  Precision precision = Precision::single;
  torch::Tensor loss_scale{};  // f32 []; undefined: gradients are as they are
  // Not owned; absent: everything is computed. With it, encode() and decode() leave their work to
  // backward(), which plays it from a recording where it can.
  StepGraphs* graphs = nullptr;
  bool check_every_operation = false;
};

class PieceGradient {
 public:
  // `rows` makes the tensors; called by align(). `model` outlives the piece.
  PieceGradient(TrainedModel& model, const PieceOptions& options, std::function<ModelBatch()> rows);

  void align();
  // Asks for what search() reads, where the host cannot read the device's memory: the device goes
  // on while it is on its way. search() may then run once the stream has come past it; without
  // fetch(), it waits for the device by itself.
  void fetch();
  void search();
  void encode();
  void decode();
  void losses();
  // Adds to model.gradient and to `sums`, f32 [kLossSums], and lets go of all tensors.
  void backward(const torch::Tensor& sums);
  // All of them; without adding anything when `sums` is undefined: a try.
  void run(const torch::Tensor& sums);
  void drop();

 private:
  TrainedModel& model_;
  const PieceOptions options_;
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
