// The speech model as a task of the trainer: what it makes of the rows of a batch, and in which
// phases.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "model/xtts_model.h"
#include "train/reference_crops.h"
#include "train/train_task.h"
#include "train/trained_model.h"
#include "train/validation.h"

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

// What they are called; `mean` gives each over the frames.
StepLosses to_speech_losses(const std::function<double(std::size_t)>& mean);

struct MicrobatchOptions : GradientOptions {
  LossWeights weights;
};

// The gradient of the speech model for some rows of a batch, in steps that can be submitted one by
// one:
//
//   align -> search -> decode -> losses -> backward
//         -> encode ->
//
// search() and encode() may run at the same time, on two threads.
class MicrobatchGradient : public TaskGradient {
 public:
  // `rows` makes the tensors; called by align(). `model` outlives the microbatch.
  MicrobatchGradient(TrainedModel& model,
                     const MicrobatchOptions& options,
                     std::function<ModelBatch()> rows);

  // `phase` counts in kSpeechPhases.
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

struct SpeechTaskOptions {
  std::uint64_t seed = 0;               // of the reference crops
  std::int64_t binarisation_start = 0;  // steps
  double binarisation = 0.1;            // weight of that loss from then on
};

class SpeechTask : public TrainTask {
 public:
  // `model` outlives the task.
  explicit SpeechTask(TrainedModel& model, const SpeechTaskOptions& options = {});

  // Not owned, outlives the task. Without one nothing is validated.
  void validate_with(const Validator* validator) { validator_ = validator; }

  const std::vector<TaskPart>& parts() const override { return parts_; }
  std::span<const TaskPhase> phases() const override;
  std::int64_t num_sums() const override;
  StepLosses to_losses(const std::function<double(std::size_t)>& mean) const override;
  void begin_update(std::int64_t step) override;
  std::shared_ptr<const TaskRows> rows_of(const DeviceBatch& batch) const override;
  std::shared_ptr<const TaskRows> longest_rows(const BatchShape& shape) const override;
  std::unique_ptr<GradientPlayer> make_player(const PlayerParts& parts) override;
  bool has_validation() const override;
  ValidationResult validate(DeviceStream& stream, ProcessGroup* group) override;

  // Holds for the batches that come next.
  void set_loss_weights(const LossWeights& weights) { weights_ = weights; }

 private:
  TrainedModel& model_;
  const SpeechTaskOptions options_;
  const Validator* validator_ = nullptr;
  const ReferenceCrops crops_;
  const int speakers_;  // of the model's table
  const std::vector<TaskPart> parts_;
  LossWeights weights_;
};

}  // namespace qanat
