#include "speech/served_voice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/language_tag.h"
#include "checkpoint_files/checkpoint_state.h"
#include "locale/message_error.h"
#include "locale/messages/voice_server.h"
#include "monitor/host_facts.h"
#include "speech/open_vocoder.h"
#include "speech/speech_model.h"
#include "speech/speech_stream.h"
#include "speech/voice_of.h"

namespace qanat {
namespace {

constexpr const char* kDefaultVoice = "default";

// How a voice is said to the model.
struct VoiceChoice {
  std::vector<float> reference{};  // log-mel; empty: none
  std::optional<int> speaker{};
};
using VoiceTable = std::map<std::string, VoiceChoice>;

class StreamedSpeech : public Speech {
 public:
  explicit StreamedSpeech(SpeechStream all) : stream(std::move(all)) {}

  SpeechStream stream;
};

class ModelSpeechMaker : public SpeechMaker {
 public:
  ModelSpeechMaker(std::shared_ptr<SpeechModel> model,
                   std::unique_ptr<Vocoder> vocoder,
                   const VoiceTable& voices)
      : model_(std::move(model)), vocoder_(std::move(vocoder)), voices_(voices) {}

  std::unique_ptr<Speech> begin(const SpeechOrder& order) override {
    return begin(order, std::nullopt);
  }

  // In this language; nothing: in that of the script of the text.
  std::unique_ptr<Speech> begin(const SpeechOrder& order,
                                const std::optional<LanguageTag>& language) {
    const VoiceChoice& voice = voices_.at(order.voice);
    const SpeechOptions options{
        .reference = voice.reference, .speaker = voice.speaker, .length_scale = 1.0 / order.speed};
    return std::make_unique<StreamedSpeech>(SpeechStream(
        plan_text(order.text, language, *model_), options, streaming_chunks(vocoder_->mel())));
  }

  std::optional<std::vector<float>> next(Speech& speech) override {
    return static_cast<StreamedSpeech&>(speech).stream.next(*model_, *vocoder_);
  }

 private:
  const std::shared_ptr<SpeechModel> model_;  // shared with nobody: see ChosenCheckpoint
  const std::unique_ptr<Vocoder> vocoder_;
  const VoiceTable& voices_;  // of the engine
};

class ServedVoice : public VoiceEngine {
 public:
  explicit ServedVoice(const ServedVoiceRequest& request) : request_(request) {
    const ChosenCheckpoint chosen = open_checkpoint(request.checkpoint, warn());
    const CheckpointState& state = chosen.model->state();
    // The workers open what was found now, whatever a training adds meanwhile.
    request_.checkpoint.path = chosen.folder;
    request_.checkpoint.pick = CheckpointPick::newest;
    const OpenedVocoder opened = open_vocoder(request.vocoder, chosen.folder, state.mel);
    if (opened.note) {
      warn()(*opened.note);
    }
    request_.vocoder = opened.folder ? opened.folder->string() : kGriffinLim;
    facts_.model = model_name(chosen.folder);
    facts_.rate = state.mel.sample_rate;
    facts_.vocoder = opened.vocoder->name();
    add_voices(state);
    for (const LanguageTag& language : state.languages) {
      facts_.languages.emplace_back(to_string(language));
    }
    if (facts_.languages.empty()) {
      facts_.languages = {"en", "fa"};
    }
  }

  const VoiceFacts& facts() const override { return facts_; }

  std::unique_ptr<SpeechMaker> make_maker() const override {
    torch::set_num_threads(1);  // of this thread: each has a core
    ChosenCheckpoint chosen = open_checkpoint(request_.checkpoint, [](const Message& /*known*/) {});
    OpenedVocoder opened = open_vocoder(request_.vocoder, chosen.folder, chosen.model->state().mel);
    auto maker = std::make_unique<ModelSpeechMaker>(
        std::move(chosen.model), std::move(opened.vocoder), voices_);
    warm_up(*maker);
    return maker;
  }

 private:
  std::function<void(const Message&)> warn() const {
    return [this](const Message& text) {
      if (request_.warn) {
        request_.warn(text);
      }
    };
  }

  // ".../my-voice/step-000001000" is "my-voice".
  static std::string model_name(const std::filesystem::path& folder) {
    const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
    const std::filesystem::path last = whole.filename().empty() ? whole.parent_path() : whole;
    const std::string name = last.filename().string();
    return name.starts_with("step-") ? last.parent_path().filename().string() : name;
  }

  void add_voices(const CheckpointState& state) {
    for (std::size_t i = 0; i < state.speakers.size(); ++i) {
      add(state.speakers[i], {.speaker = static_cast<int>(i)});
    }
    if (state.speakers.empty()) {
      add(kDefaultVoice, {});
    }
    for (const RecordedVoice& voice : request_.voices) {
      add(voice.name, {.reference = read_reference(voice.file, state.mel)});
    }
  }

  void add(const std::string& name, VoiceChoice choice) {
    if (!voices_.emplace(name, std::move(choice)).second) {
      throw MessageError(msg::usage_voice_twice{.name = name});
    }
    facts_.voices.push_back({.id = name});
  }

  // What libtorch prepares at its first calls, for short and for long sentences. Latin letters
  // would leave the language of a model of several open.
  void warm_up(ModelSpeechMaker& maker) const {
    const bool persian = facts_.languages.front() == "fa";
    for (const char* text : {persian ? "سلام" : "hello",
                             persian ? "آب از کوه آرام به شهر می‌رسد"
                                     : "the water comes down from the hills by itself"}) {
      const std::unique_ptr<Speech> speech =
          maker.begin({.text = text, .voice = facts_.voices.front().id},
                      to_language_tag(facts_.languages.front()));
      while (maker.next(*speech)) {
      }
    }
  }

  ServedVoiceRequest request_;
  VoiceFacts facts_;
  VoiceTable voices_;
};

}  // namespace

int num_speech_workers() {
  return std::max(1, allowed_cores(read_host_facts()));
}

std::unique_ptr<VoiceEngine> open_served_voice(const ServedVoiceRequest& request) {
  return std::make_unique<ServedVoice>(request);
}

}  // namespace qanat
