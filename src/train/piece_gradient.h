// The gradient of some rows of a batch, in steps that can be submitted one by one:
//
//   align -> search (on the host) -> decode -> losses -> backward
//         -> encode               ->
//
// search() and encode() may run at the same time, on two threads.
// Nothing is added to the model's gradient before backward() has succeeded, so a piece that runs
// out of memory anywhere can be thrown away and done again in halves.
#pragma once

#include <functional>

#include <torch/torch.h>

#include "model/losses.h"
#include "train/autocast.h"
#include "train/trained_model.h"

namespace qanat {

// Frame-weighted sums over rows, in the order of StepLosses: total, mel, refined, prior,
// forward_sum, binarisation, duration.
inline constexpr std::int64_t kLossSums = 7;

struct PieceOptions {
  LossWeights weights;
  Precision precision = Precision::single;
  bool check_every_operation = false;
};

class PieceGradient {
 public:
  // `rows` makes the tensors; called by align(). `model` outlives the piece.
  PieceGradient(TrainedModel& model, const PieceOptions& options, std::function<ModelBatch()> rows);

  void align();
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
  torch::Tensor durations_;  // search() writes nothing else
  EncodedText text_;         // encode() writes nothing else
  ModelOutput output_;
  torch::Tensor loss_;
  torch::Tensor loss_sums_;
};

}  // namespace qanat
