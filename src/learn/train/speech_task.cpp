#include "train/speech_task.h"

#include <utility>

#include <torch/torch.h>

#include "model/monotonic_search.h"
#include "train/batch_tensors.h"
#include "train/gradient_exchange.h"
#include "train/nan_check.h"
#include "train/step_graphs.h"

namespace qanat {
namespace {

torch::Tensor sum_losses(const LossParts& parts,
                         const torch::Tensor& loss,
                         const torch::Tensor& row_weights) {
  const torch::NoGradGuard no_grad;
  const auto sum = [&](const torch::Tensor& rows) { return (rows.detach() * row_weights).sum(); };
  return torch::stack({loss.detach(),
                       sum(parts.mel),
                       sum(parts.postnet_mel),
                       sum(parts.prior),
                       sum(parts.forward_sum),
                       sum(parts.binarisation),
                       sum(parts.duration)});
}

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

MicrobatchGradient::MicrobatchGradient(TrainedModel& model,
                                       const MicrobatchOptions& options,
                                       std::function<ModelBatch()> rows)
    : model_(model), options_(options), rows_(std::move(rows)) {}

void MicrobatchGradient::align() {
  const NanCheck check(options_.check_every_operation);
  batch_ = rows_();
  row_weights_ = frame_weights(batch_);
  check.require_none("the mel of the batch", batch_.mel);
  alignment_ = model_.network->align(batch_);
  check.require_none("the alignment", alignment_.log_probability);
}

void MicrobatchGradient::search() {
  durations_ = monotonic_durations(
      alignment_.log_probability.detach(), batch_.token_lengths, batch_.mel_lengths);
}

void MicrobatchGradient::encode() {
  const NanCheck check(options_.check_every_operation);
  const Autocast autocast(options_.precision, model_.device());
  text_ = model_.network->encode(batch_);
  check.require_none("the encoded text", text_.vectors);
}

void MicrobatchGradient::decode() {
  const NanCheck check(options_.check_every_operation);
  const Autocast autocast(options_.precision, model_.device());
  output_ = model_.network->decode(batch_, text_, durations_);
  check.require_none("the predicted mel", output_.mel);
  check.require_none("the predicted durations", output_.log_durations);
}

void MicrobatchGradient::losses() {
  const NanCheck check(options_.check_every_operation);
  const LossParts parts = row_losses(batch_, alignment_, output_, durations_);
  loss_ = weighted_loss(parts, options_.weights, row_weights_);
  check.require_none("the loss", loss_);
  loss_sums_ = sum_losses(parts, loss_, row_weights_);
}

void MicrobatchGradient::backward(const torch::Tensor& sums) {
  const NanCheck check(options_.check_every_operation);
  const torch::Tensor& scale = options_.loss_scale;
  const torch::Tensor loss = scale.defined() ? loss_ * scale : loss_;
  if (options_.exchange != nullptr && sums.defined()) {
    options_.exchange->backward(loss);
    sums.add_(loss_sums_);
    drop();
    return;
  }
  const std::vector<torch::Tensor> gradients = torch::autograd::grad({loss},
                                                                     model_.parameters,
                                                                     /*grad_outputs=*/{},
                                                                     /*retain_graph=*/false,
                                                                     /*create_graph=*/false,
                                                                     /*allow_unused=*/true);
  if (sums.defined()) {
    model_.layout.add(model_.gradient, gradients);
    sums.add_(loss_sums_);
  }
  drop();
}

void MicrobatchGradient::run_phase(std::size_t phase, const torch::Tensor& sums) {
  switch (phase) {
    case 0:
      return align();
    case 1:
      return search();
    case 2:
      return encode();
    case 3:
      return decode();
    case 4:
      return losses();
    default:
      return backward(sums);
  }
}

void MicrobatchGradient::run(const torch::Tensor& sums) {
  for (std::size_t phase = 0; phase < kSpeechPhases.size(); ++phase) {
    run_phase(phase, sums);
  }
}

void MicrobatchGradient::drop() {
  batch_ = ModelBatch();
  alignment_ = Alignment();
  text_ = EncodedText();
  output_ = ModelOutput();
  row_weights_.reset();
  durations_.reset();
  loss_.reset();
  loss_sums_.reset();
}

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

StepLosses to_speech_losses(const std::function<double(std::size_t)>& mean) {
  return {.total = mean(0),
          .mel = mean(1),
          .postnet_mel = mean(2),
          .prior = mean(3),
          .forward_sum = mean(4),
          .binarisation = mean(5),
          .duration = mean(6)};
}

StepLosses SpeechTask::to_losses(const std::function<double(std::size_t)>& mean) const {
  return to_speech_losses(mean);
}

void SpeechTask::begin_update(std::int64_t step) {
  LossWeights weights;
  weights.binarisation = step >= options_.binarisation_start ? options_.binarisation : 0.0;
  weights_ = weights;
}

std::shared_ptr<const TaskRows> SpeechTask::rows_of(const DeviceBatch& batch) const {
  // Shared by the microbatches.
  const auto crops =
      std::make_shared<const std::vector<ReferenceCrop>>(crops_.crops(batch.id.epoch,
                                                                      {.items = batch.items,
                                                                       .speakers = batch.speakers,
                                                                       .frames = batch.mel_lengths,
                                                                       .first = batch.first_row}));
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
