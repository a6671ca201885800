// A run that trains the speech model.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/loader_options.h"
#include "train/model_preset.h"
#include "train/speech_task.h"
#include "train/validation.h"
#include "training/init_from.h"
#include "training/run_identity.h"
#include "training/run_task.h"

namespace qanat {
namespace {

constexpr std::size_t kRecordedSentences = 2;  // enough to hear
constexpr Seconds kLongestRecording{15.0};

class SpeechRun : public RunTask {
 public:
  SpeechRun(const RunConfig& config, const TrainInputs& inputs)
      : config_(config), inputs_(inputs), languages_(inputs.languages) {}

  nlohmann::json state() const override {
    nlohmann::json json = to_json(checkpoint_state());
    for (const LanguageTag& language : inputs_.languages) {
      if (const auto speaker = main_speaker(language)) {
        json["default_speakers"][std::string(to_string(language))] = *speaker;
      }
    }
    return json;
  }

  void resume(const LoadedCheckpoint& loaded) override {
    check_same_model(loaded, checkpoint_state());
    languages_ = learned_languages(loaded, inputs_.languages);
  }

  void begin_with(const LoadedCheckpoint& initial) override {
    languages_ = learned_languages(initial, inputs_.languages);
  }

  TrainTask& make(torch::Device device) override {
    const TrainingConfig& training = config_.training;
    AdamWOptions optimiser{.weight_decay = training.weight_decay,
                           .gradient_clip = training.gradient_clip};
    if (training.freeze) {
      optimiser.frozen = parameters_of(*training.freeze);
    }
    const auto seed = static_cast<std::uint64_t>(training.seed);
    model_.emplace(make_trained_model(model_shape(to_preset(config_.model.size),
                                                  inputs_.text->tokenizer().size(),
                                                  static_cast<int>(inputs_.speakers.size())),
                                      optimiser,
                                      seed,
                                      device));
    task_.emplace(*model_,
                  SpeechTaskOptions{.seed = seed,
                                    .binarisation_start = training.binarisation_start.value_or(
                                        default_binarisation_start(config_.model.size))});
    return *task_;
  }

  Message take(const LoadedCheckpoint& initial) override {
    Message taken =
        take_weights(initial, checkpoint_state(), model_->layout.views(model_->weights));
    model_->ema.copy_(model_->weights);
    return taken;
  }

  void load_validation(const std::function<void(const MessageArg&)>& /*warn*/) override {
    validator_.emplace(load_validation_batches(config_, inputs_), /*max_free_running=*/4);
    task_->validate_with(&*validator_);
  }

  RenderFn make_renderer(const std::filesystem::path& folder) override {
    std::vector<EvaluationSentence> sentences =
        read_evaluation_sentences(config_.training.evaluation_sentences);
    std::ranges::move(recorded_sentences(), std::back_inserter(sentences));
    renderer_.emplace(checkpoint_state(), inputs_.text, sentences, folder);
    return [this](std::int64_t step, const TensorMap& weights) {
      return renderer_->render(step, weights);
    };
  }

 private:
  // Some of the validation set, to be heard beside what somebody else has said. One that cannot be
  // read is left out: validation tells of it.
  std::vector<EvaluationSentence> recorded_sentences() const {
    std::vector<EvaluationSentence> sentences;
    if (!inputs_.validation) {
      return sentences;
    }
    const std::vector<Utterance>& utterances = inputs_.validation->manifest.utterances;
    for (ValidationClip& clip :
         load_validation_clips(inputs_,
                               std::min(kRecordedSentences, utterances.size()),
                               kLongestRecording,
                               [](const MessageArg& /*warning*/) {})) {
      sentences.push_back({.text = utterances[clip.item].text,
                           .language = utterances[clip.item].language,
                           .recording = std::move(clip.samples)});
    }
    return sentences;
  }

  // Who of the table says most in a language; the first of them where several say as much.
  std::optional<std::string> main_speaker(const LanguageTag& language) const {
    std::map<std::string_view, std::int64_t> said;
    for (const Utterance& utterance : inputs_.train->manifest.utterances) {
      said[utterance.speaker] += utterance.language == language ? 1 : 0;
    }
    const auto most = std::ranges::max_element(
        inputs_.speakers, {}, [&](const std::string& speaker) { return said[speaker]; });
    return most != inputs_.speakers.end() && said[*most] > 0 ? std::optional(*most) : std::nullopt;
  }

  CheckpointState checkpoint_state() const {
    const ModelShape defaults;
    return {.model = {.size = config_.model.size,
                      .vocabulary = inputs_.text->tokenizer().size(),
                      .mel_mean = defaults.mel_mean,
                      .mel_std = defaults.mel_std},
            .text = stored_text(make_text_config(config_.data), *inputs_.text, inputs_.languages),
            .speakers = inputs_.speakers,
            .languages = languages_,
            .mel = kMel};
  }

  const RunConfig& config_;
  const TrainInputs& inputs_;
  std::vector<LanguageTag> languages_;  // the weights have learned from; empty: not known
  std::optional<TrainedModel> model_;
  std::optional<SpeechTask> task_;
  std::optional<Validator> validator_;
  std::optional<EvaluationRenderer> renderer_;
};

}  // namespace

std::unique_ptr<RunTask> make_speech_run(const RunConfig& config, const TrainInputs& inputs) {
  return std::make_unique<SpeechRun>(config, inputs);
}

}  // namespace qanat
