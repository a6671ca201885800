#include "train/speech_task.h"

#include <utility>

#include "train/microbatch_gradient.h"
#include "train/step_graphs.h"

namespace qanat {
namespace {

class SpeechRows : public TaskRows {
 public:
  SpeechRows(TrainedModel& model,
             const LossWeights& weights,
             std::function<ModelBatch(RowRange)> tensors)
      : model_(model), weights_(weights), tensors_(std::move(tensors)) {}

  std::unique_ptr<TaskGradient> gradient(RowRange rows,
                                         const GradientOptions& options) const override {
    return std::make_unique<MicrobatchGradient>(
        model_, with_weights(options), [this, rows] { return tensors_(rows); });
  }
  ModelBatch tensors(RowRange rows) const { return tensors_(rows); }
  MicrobatchOptions with_weights(const GradientOptions& options) const {
    return {options, weights_};
  }

 private:
  TrainedModel& model_;
  const LossWeights weights_;
  const std::function<ModelBatch(RowRange)> tensors_;
};

class SpeechPlayer : public GradientPlayer {
 public:
  SpeechPlayer(TrainedModel& model, const PlayerParts& parts)
      : graphs_({.stream = parts.stream,
                 .model = model,
                 .sums = parts.sums,
                 .journal = parts.journal,
                 .note = parts.note},
                parts.options) {}

  void reserve(const TaskRows& largest, RowRange rows, const GradientOptions& options) override {
    const auto& speech = static_cast<const SpeechRows&>(largest);
    graphs_.reserve(speech.tensors(rows), speech.with_weights(options));
  }
  void add(const TaskRows& batch, RowRange rows, const GradientOptions& options) override {
    const auto& speech = static_cast<const SpeechRows&>(batch);
    graphs_.add(speech.tensors(rows), speech.with_weights(options));
  }

 private:
  StepGraphs graphs_;
};

}  // namespace

SpeechTask::SpeechTask(TrainedModel& model, const SpeechTaskOptions& options)
    : model_(model),
      options_(options),
      crops_(options.seed),
      speakers_(model.network->shape().speakers),
      parts_({TaskPart{.prefix = "", .weights = model}}) {}

std::span<const TaskPhase> SpeechTask::phases() const {
  return kSpeechPhases;
}

std::int64_t SpeechTask::num_sums() const {
  return kLossSums;
}

StepLosses SpeechTask::to_losses(const std::function<double(std::size_t)>& mean) const {
  return {.total = mean(0),
          .mel = mean(1),
          .postnet_mel = mean(2),
          .prior = mean(3),
          .forward_sum = mean(4),
          .binarisation = mean(5),
          .duration = mean(6)};
}

void SpeechTask::begin_update(std::int64_t step) {
  LossWeights weights;
  weights.binarisation = step >= options_.binarisation_start ? options_.binarisation : 0.0;
  weights_ = weights;
}

std::shared_ptr<const TaskRows> SpeechTask::rows_of(const DeviceBatch& batch) const {
  // Shared by the microbatches.
  const auto crops = std::make_shared<const std::vector<ReferenceCrop>>(crops_.crops(
      batch.id.epoch,
      {.items = batch.items, .speakers = batch.speakers, .frames = batch.mel_lengths}));
  return std::make_shared<const SpeechRows>(
      model_,
      weights_,
      [batch, crops, device = model_.device(), speakers = speakers_](RowRange range) {
        return to_model_batch(batch, range, *crops, device, speakers);
      });
}

std::shared_ptr<const TaskRows> SpeechTask::longest_rows(const BatchShape& shape) const {
  return std::make_shared<const SpeechRows>(model_, weights_, [this, shape](RowRange range) {
    return make_longest_batch({.rows = range.count, .frames = shape.frames, .tokens = shape.tokens},
                              model_.network->shape().mel_bins,
                              model_.device(),
                              speakers_);
  });
}

std::unique_ptr<GradientPlayer> SpeechTask::make_player(const PlayerParts& parts) {
  return std::make_unique<SpeechPlayer>(model_, parts);
}

bool SpeechTask::has_validation() const {
  return validator_ != nullptr && !validator_->is_empty();
}

ValidationResult SpeechTask::validate(DeviceStream& stream, ProcessGroup* group) {
  return validator_->run(model_, stream, group);
}

}  // namespace qanat
