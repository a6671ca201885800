// The gradient of some rows of a batch, in steps that can be submitted one by one:
//
//   align -> search -> decode -> losses -> backward
//         -> encode ->
//
// search() and encode() may run at the same time, on two threads. No step waits for the device.
// Nothing is added to the model's gradient before backward() has succeeded, so a microbatch that
// runs out of memory anywhere can be dropped, split and done again.
#pragma once

#include <functional>

#include <torch/torch.h>

#include "model/xtts_model.h"
#include "train/precision.h"
#include "train/trained_model.h"

namespace qanat {

// Frame-weighted sums over rows, in the order of StepLosses: total, mel, postnet mel, prior,
// forward_sum, binarisation, duration.
inline constexpr std::int64_t kLossSums = 7;

class GradientExchange;

struct MicrobatchOptions {
  LossWeights weights;
  Precision precision = Precision::single;
  torch::Tensor loss_scale{};  // f32 []; undefined: gradients are as they are
  bool check_every_operation = false;
  // Of the last microbatch of an update that several processes make; not owned.
  GradientExchange* exchange = nullptr;
};

class MicrobatchGradient {
 public:
  // `rows` makes the tensors; called by align(). `model` outlives the microbatch.
  MicrobatchGradient(TrainedModel& model,
                     const MicrobatchOptions& options,
                     std::function<ModelBatch()> rows);

  void align();
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
  torch::Tensor durations_;  // search() writes nothing else
  EncodedText text_;         // encode() writes nothing else
  ModelOutput output_;
  torch::Tensor loss_;
  torch::Tensor loss_sums_;
};

}  // namespace qanat
