// The gradient of the speech model for some rows of a batch, in steps that can be submitted one by
// one:
//
//   align -> search -> decode -> losses -> backward
//         -> encode ->
//
// search() and encode() may run at the same time, on two threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <torch/torch.h>

#include "model/xtts_model.h"
#include "train/train_task.h"
#include "train/trained_model.h"

namespace qanat {

// Frame-weighted sums over rows, in the order of StepLosses: total, mel, postnet mel, prior,
// forward_sum, binarisation, duration.
inline constexpr std::int64_t kLossSums = 7;

// align, search, encode, decode, losses, backward.
inline constexpr std::array<TaskPhase, 6> kSpeechPhases = {TaskPhase{},
                                                           TaskPhase{.beside_next = true},
                                                           TaskPhase{},
                                                           TaskPhase{.ends = StepPhase::forward},
                                                           TaskPhase{.ends = StepPhase::loss},
                                                           TaskPhase{.ends = StepPhase::backward}};

struct MicrobatchOptions : GradientOptions {
  LossWeights weights;
};

class MicrobatchGradient : public TaskGradient {
 public:
  // `rows` makes the tensors; called by align(). `model` outlives the microbatch.
  MicrobatchGradient(TrainedModel& model,
                     const MicrobatchOptions& options,
                     std::function<ModelBatch()> rows);

  // Of kSpeechPhases.
  void run_phase(std::size_t phase, const torch::Tensor& sums) override;

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
