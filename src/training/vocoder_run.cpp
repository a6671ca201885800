// A run that trains a vocoder.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/loader_options.h"
#include "locale/messages/training.h"
#include "speech/copy_renderer.h"
#include "train/vocoder_task.h"
#include "training/run_identity.h"
#include "training/run_task.h"

namespace qanat {
namespace {

constexpr Seconds kLongestClip{10.0};      // of those validated on
constexpr std::size_t kRenderedClips = 2;  // enough to hear

class VocoderRun : public RunTask {
 public:
  VocoderRun(const RunConfig& config, const TrainInputs& inputs)
      : config_(config), inputs_(inputs), shape_(vocoder_shape(config.model.size, kMel)) {}

  nlohmann::json state() const override { return to_json(stored()); }

  void resume(const LoadedCheckpoint& loaded) override { check_same_vocoder(loaded, stored()); }

  void begin_with(const LoadedCheckpoint& /*initial*/) override {}

  TrainTask& make(torch::Device device) override {
    const TrainingConfig& training = config_.training;
    const VocoderConfig& vocoder = config_.vocoder;
    vocoder_.emplace(make_trained_vocoder(
        shape_,
        {.weight_decay = training.weight_decay, .gradient_clip = training.gradient_clip},
        static_cast<std::uint64_t>(training.seed),
        device));
    task_.emplace(*vocoder_,
                  VocoderTaskOptions{.discriminator_start = vocoder.discriminator_start,
                                     .weights = {.mel = vocoder.mel_weight,
                                                 .stft = vocoder.stft_weight,
                                                 .magnitude = vocoder.magnitude_weight,
                                                 .adversarial = vocoder.adversarial_weight,
                                                 .feature = vocoder.feature_weight}});
    return *task_;
  }

  Message take(const LoadedCheckpoint& initial) override {
    TrainedWeights& generator = vocoder_->generator;
    generator.layout.load(generator.weights, initial.checkpoint.ema, "weights of");
    generator.ema.copy_(generator.weights);
    return msg::init_vocoder{.folder = initial.folder.string(), .step = initial.step};
  }

  void load_validation(const std::function<void(const MessageArg&)>& warn) override {
    std::vector<std::vector<float>> samples;
    for (ValidationClip& clip : load_validation_clips(config_, inputs_, kLongestClip, warn)) {
      if (rendered_.size() < kRenderedClips) {
        rendered_.push_back({.id = clip.id, .samples = clip.samples});
      }
      samples.push_back(std::move(clip.samples));
    }
    validator_.emplace(kMel, samples);
    task_->validate_with(&*validator_);
  }

  RenderFn make_renderer(const std::filesystem::path& folder) override {
    if (!inputs_.validation) {
      return nullptr;
    }
    return [this, folder](std::int64_t step, const TensorMap& weights) {
      return CopyRenderer(stored(), rendered_, folder).render(step, weights);
    };
  }

 private:
  VocoderState stored() const { return stored_vocoder(config_.model.size, shape_); }

  const RunConfig& config_;
  const TrainInputs& inputs_;
  const VocoderShape shape_;
  std::optional<TrainedVocoder> vocoder_;
  std::optional<VocoderTask> task_;
  std::optional<VocoderValidator> validator_;
  std::vector<RenderedClip> rendered_;
};

}  // namespace

std::unique_ptr<RunTask> make_vocoder_run(const RunConfig& config, const TrainInputs& inputs) {
  return std::make_unique<VocoderRun>(config, inputs);
}

}  // namespace qanat
