// The speech model as a task of the trainer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/xtts_model.h"
#include "train/reference_crops.h"
#include "train/train_task.h"
#include "train/trained_model.h"
#include "train/validation.h"

namespace qanat {

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

  // Of the batches that come next.
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
