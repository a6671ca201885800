// A run that trains a vocoder.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/loader_options.h"
#include "locale/message_error.h"
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

  bool prepare(const PrepareRequest& request) override {
    const std::filesystem::path folder = request.folder / "predicted_mel";
    const std::size_t all = inputs_.train->manifest.utterances.size();
    const std::size_t validated = num_validation_clips(config_, inputs_);
    std::optional<MelPrediction> train =
        predict(request, *inputs_.train, {.folder = folder / "train", .count = all, .before = 0});
    if (!train) {
      return false;
    }
    std::optional<MelPrediction> validation;
    if (validated > 0) {
      validation = predict(request,
                           *inputs_.validation,
                           {.folder = folder / "validation", .count = validated, .before = all});
      if (!validation) {
        return false;
      }
      validated_mel_ = validation->mel;
    }
    if (request.progress) {
      request.progress(num_predicted(), num_predicted());
    }
    predicted_ = train->mel;
    tell_prediction(request, std::move(train->own), validation);
    return true;
  }

  std::shared_ptr<const PredictedMel> predicted() const override { return predicted_; }

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
    TensorMap weights = initial.checkpoint.ema;
    std::erase_if(weights, [](const auto& one) {  // of a checkpoint without EMA
      return one.first.starts_with(kDiscriminatorPrefix);
    });
    generator.layout.load(generator.weights, weights, "weights of");
    generator.ema.copy_(generator.weights);
    return msg::init_vocoder{.folder = initial.folder.string(), .step = initial.step};
  }

  void load_validation(const std::function<void(const MessageArg&)>& warn) override {
    std::vector<ValidatedClip> clips;
    for (ValidationClip& clip : load_validation_clips(
             inputs_, num_validation_clips(config_, inputs_), kLongestClip, warn)) {
      const Result<std::vector<float>> mel = predicted_mel_of(clip);
      if (!mel) {
        warn(reason_of(mel.failure()));
        continue;
      }
      if (rendered_.size() < kRenderedClips) {
        rendered_.push_back({.id = clip.id, .samples = clip.samples, .mel = mel.value()});
      }
      clips.push_back({.samples = std::move(clip.samples), .mel = mel.value()});
    }
    validator_.emplace(kMel, clips);
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

  // A part of what is predicted: so many utterances were before it.
  struct PredictedPart {
    std::filesystem::path folder;
    std::size_t count = 0;
    std::size_t before = 0;
  };

  std::optional<MelPrediction> predict(const PrepareRequest& request,
                                       const UtteranceSet& set,
                                       const PredictedPart& part) const {
    return predict_mel({.source = *inputs_.mel_from,
                        .folder = part.folder,
                        .set = set,
                        .count = part.count,
                        .max_frames = FrameCount{config_.data.max_mel_frames},
                        .share = request.share,
                        .warn = [&](const Message& text) { request.tell(text); },
                        .progress =
                            [&](std::int64_t done, std::int64_t /*count*/) {
                              if (request.progress) {
                                request.progress(static_cast<std::int64_t>(part.before) + done,
                                                 num_predicted());
                              }
                            },
                        .stop = request.stop});
  }

  std::int64_t num_predicted() const {
    return static_cast<std::int64_t>(inputs_.train->manifest.utterances.size() +
                                     num_validation_clips(config_, inputs_));
  }

  void tell_prediction(const PrepareRequest& request,
                       std::vector<std::string> own,
                       const std::optional<MelPrediction>& validation) const {
    request.tell(msg::mel_from_used{.folder = inputs_.mel_from->folder.string(),
                                    .step = inputs_.mel_from->step});
    if (validation) {
      own.insert(own.end(), validation->own.begin(), validation->own.end());
    }
    if (own.empty()) {
      return;
    }
    constexpr std::size_t kShown = 5;
    std::vector<std::string> names(own.begin(), own.begin() + std::min(kShown, own.size()));
    if (own.size() > kShown) {
      names.emplace_back("…");
    }
    request.tell(msg::mel_from_own{.count = own.size(), .names = names});
  }

  // What the speech model makes of a clip, as long as the clip is; empty without one.
  Result<std::vector<float>> predicted_mel_of(const ValidationClip& clip) const {
    std::vector<float> mel;
    if (validated_mel_ == nullptr) {
      return mel;
    }
    mel.resize(clip.samples.size() / static_cast<std::size_t>(kMel.hop) *
               static_cast<std::size_t>(kMel.mel_bins));
    PredictedMel::Scratch scratch;
    if (const Result<Done> got = validated_mel_->read(clip.item, FrameCount{0}, mel, scratch);
        !got) {
      return got.failure();
    }
    return mel;
  }

  const RunConfig& config_;
  const TrainInputs& inputs_;
  const VocoderShape shape_;
  // Shared with the loader and the validation; null: the mel is that of the recordings.
  std::shared_ptr<const PredictedMel> predicted_;
  std::shared_ptr<const PredictedMel> validated_mel_;
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
