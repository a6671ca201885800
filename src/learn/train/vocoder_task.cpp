#include "train/vocoder_task.h"

#include <utility>

#include "base/check.h"
#include "pipeline/segment_row_source.h"
#include "train/batch_tensors.h"
#include "train/nan_check.h"

namespace qanat {
namespace {

enum class Judged { no, yes };

struct GradientParts {
  TrainedVocoder& vocoder;
  const VocoderMeasures& measures;
  VocoderWeights weights;
  Judged judged = Judged::no;
};

// Holds some rows, with kSegmentContext frames at both ends.
struct SegmentTensors {
  torch::Tensor samples;  // f32 [rows, samples]
  torch::Tensor mel;      // f32 [rows, mel_bins, frames] for the generator; undefined: of samples
};

std::vector<torch::Tensor> gradients_of(const torch::Tensor& loss,
                                        const TrainedWeights& weights,
                                        bool keep_graph) {
  return torch::autograd::grad({loss},
                               weights.parameters,
                               /*grad_outputs=*/{},
                               /*retain_graph=*/keep_graph,
                               /*create_graph=*/false,
                               /*allow_unused=*/true);
}

// The gradients of both networks for some rows. One judgement of the generator's sound serves both:
// it is differentiated by the weights of the discriminators, then by those of the generator.
class VocoderGradient : public TaskGradient {
 public:
  VocoderGradient(const GradientParts& parts,
                  const GradientOptions& options,
                  std::function<SegmentTensors()> rows)
      : parts_(parts), options_(options), rows_(std::move(rows)) {}

  void run_phase(std::size_t phase, const torch::Tensor& sums) override {
    switch (phase) {
      case 0:
        return generate();
      case 1:
        return losses();
      default:
        return backward(sums);
    }
  }

 private:
  void generate();
  void losses();
  torch::Tensor judge();  // what of the generator's loss is the discriminators' judgement
  void backward(const torch::Tensor& sums);

  const GradientParts parts_;
  const GradientOptions options_;
  const std::function<SegmentTensors()> rows_;
  double row_weight_ = 0;
  torch::Tensor recorded_;
  torch::Tensor recorded_magnitude_;
  torch::Tensor made_;
  torch::Tensor made_magnitude_;
  torch::Tensor loss_;
  torch::Tensor judges_loss_;
  std::vector<torch::Tensor> sums_;  // as they are, [] each, in the order of the sums
};

void VocoderGradient::generate() {
  const NanCheck check(options_.check_every_operation);
  const std::int64_t hop = parts_.vocoder.network->shape().mel.hop;
  const SegmentTensors rows = rows_();
  const torch::Tensor& samples = rows.samples;
  const std::int64_t frames = samples.size(1) / hop - 2 * kSegmentContext;
  recorded_ = samples.narrow(1, kSegmentContext * hop, frames * hop).contiguous();
  row_weight_ = static_cast<double>(samples.size(1) / hop);
  const torch::Tensor mel = (rows.mel.defined() ? rows.mel : parts_.measures.log_mel.of(samples))
                                .narrow(2, kSegmentContext, frames)
                                .contiguous();
  check.require_none("the mel of the batch", mel);
  recorded_magnitude_ = parts_.measures.own.magnitude(samples).narrow(1, kSegmentContext, frames);
  VocoderGeneratorImpl::Sound sound = parts_.vocoder.network->generate(mel);
  made_ = sound.samples;
  made_magnitude_ = sound.magnitude;
  check.require_none("the sound", made_);
}

torch::Tensor VocoderGradient::judge() {
  VocoderDiscriminators& judges = parts_.vocoder.judges;
  const std::vector<Judgement> recorded = judges->judge(recorded_);
  const std::vector<Judgement> made = judges->judge(made_);
  const torch::Tensor adversarial = adversarial_loss(made).sum();
  const torch::Tensor feature = feature_loss(recorded, made).sum();
  judges_loss_ = discriminator_loss(recorded, made).sum() * row_weight_;
  sums_[4] = adversarial.detach();
  sums_[5] = feature.detach();
  sums_[6] = judges_loss_.detach() / row_weight_;
  return parts_.weights.adversarial * adversarial + parts_.weights.feature * feature;
}

void VocoderGradient::losses() {
  const NanCheck check(options_.check_every_operation);
  const LogMel& log_mel = parts_.measures.log_mel;
  const torch::Tensor mel = mel_loss(log_mel.of(made_), log_mel.of(recorded_)).sum();
  const torch::Tensor stft = parts_.measures.stft.of(made_, recorded_).sum();
  const torch::Tensor magnitude = magnitude_loss(made_magnitude_, recorded_magnitude_).sum();
  torch::Tensor loss =
      parts_.weights.mel * mel + parts_.weights.stft * stft + parts_.weights.magnitude * magnitude;
  const torch::Tensor none = torch::zeros({}, loss.options());
  sums_ = {none, mel.detach(), stft.detach(), magnitude.detach(), none, none, none};
  if (parts_.judged == Judged::yes) {
    loss = loss + judge();
  }
  check.require_none("the loss", loss);
  sums_[0] = loss.detach();
  loss_ = loss * row_weight_;
}

void VocoderGradient::backward(const torch::Tensor& sums) {
  const NanCheck check(options_.check_every_operation);
  TrainedVocoder& vocoder = parts_.vocoder;
  std::vector<torch::Tensor> of_judges;
  if (judges_loss_.defined()) {
    of_judges = gradients_of(judges_loss_, vocoder.discriminators, /*keep_graph=*/true);
  }
  const torch::Tensor& scale = options_.loss_scale;
  const std::vector<torch::Tensor> of_generator = gradients_of(
      scale.defined() ? loss_ * scale : loss_, vocoder.generator, /*keep_graph=*/false);
  if (sums.defined()) {
    const torch::NoGradGuard no_grad;
    vocoder.generator.layout.add(vocoder.generator.gradient, of_generator);
    if (!of_judges.empty()) {
      vocoder.discriminators.layout.add(vocoder.discriminators.gradient, of_judges);
    }
    sums.add_(torch::stack(sums_) * row_weight_);
  }
  recorded_.reset();
  recorded_magnitude_.reset();
  made_.reset();
  made_magnitude_.reset();
  loss_.reset();
  judges_loss_.reset();
  sums_.clear();
}

class VocoderRows : public TaskRows {
 public:
  VocoderRows(const GradientParts& parts, std::function<SegmentTensors(RowRange)> tensors)
      : parts_(parts), tensors_(std::move(tensors)) {}

  std::unique_ptr<TaskGradient> gradient(RowRange rows,
                                         const GradientOptions& options) const override {
    return std::make_unique<VocoderGradient>(
        parts_, options, [this, rows] { return tensors_(rows); });
  }

 private:
  const GradientParts parts_;
  const std::function<SegmentTensors(RowRange)> tensors_;
};

}  // namespace

VocoderMeasures::VocoderMeasures(const MelConfig& mel, torch::Device device)
    : log_mel(mel, device), stft(device), own({.fft_size = mel.fft_size, .hop = mel.hop}, device) {}

VocoderTask::VocoderTask(TrainedVocoder& vocoder, const VocoderTaskOptions& options)
    : vocoder_(vocoder),
      options_(options),
      measures_(vocoder.network->shape().mel, vocoder.generator.device()),
      parts_({TaskPart{.prefix = "", .weights = vocoder.generator},
              TaskPart{.prefix = kDiscriminatorPrefix, .weights = vocoder.discriminators}}) {}

bool VocoderTask::is_trained(std::size_t part, std::int64_t step) const {
  return part == 0 || step >= options_.discriminator_start;
}

StepLosses VocoderTask::to_losses(const std::function<double(std::size_t)>& mean) const {
  return {.total = mean(0),
          .mel = mean(1),
          .stft = mean(2),
          .magnitude = mean(3),
          .adversarial = mean(4),
          .feature = mean(5),
          .discriminator = mean(6)};
}

void VocoderTask::begin_update(std::int64_t step) {
  is_judged_ = is_trained(1, step);
}

std::shared_ptr<const TaskRows> VocoderTask::rows_of(const DeviceBatch& batch) const {
  const GradientParts parts{.vocoder = vocoder_,
                            .measures = measures_,
                            .weights = options_.weights,
                            .judged = is_judged_ ? Judged::yes : Judged::no};
  return std::make_shared<const VocoderRows>(
      parts, [batch, device = vocoder_.generator.device()](RowRange rows) {
        return SegmentTensors{.samples = to_samples(batch, rows, device),
                              .mel = to_mel_beside(batch, rows, device)};
      });
}

// With the discriminators: they come in the middle of a run, where memory must not run out.
std::shared_ptr<const TaskRows> VocoderTask::longest_rows(const BatchShape& shape) const {
  const GradientParts parts{.vocoder = vocoder_,
                            .measures = measures_,
                            .weights = options_.weights,
                            .judged = Judged::yes};
  const std::int64_t samples = std::int64_t{shape.frames} * vocoder_.network->shape().mel.hop;
  return std::make_shared<const VocoderRows>(
      parts, [samples, device = vocoder_.generator.device()](RowRange rows) {
        return SegmentTensors{
            .samples = torch::zeros({rows.count, samples}, torch::TensorOptions().device(device)),
            .mel = {}};
      });
}

bool VocoderTask::has_validation() const {
  return validator_ != nullptr && !validator_->is_empty();
}

ValidationResult VocoderTask::validate(DeviceStream& stream, ProcessGroup* group) {
  return validator_->run(vocoder_, stream, group);
}

}  // namespace qanat
