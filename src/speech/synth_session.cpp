#include "speech/synth_session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "audio/audio_decoder.h"
#include "audio/wav_writer.h"
#include "base/time.h"
#include "base/utf8.h"
#include "dataset/script.h"
#include "features/griffin_lim.h"
#include "features/mel_extractor.h"
#include "features/npy_writer.h"
#include "locale/message_error.h"
#include "locale/messages.h"
#include "monitor/host_facts.h"
#include "speech/sentence_pieces.h"
#include "speech/speech_model.h"

namespace qanat {
namespace {

constexpr std::size_t kLongestPiece = 180;     // characters; models are trained on up to 200 tokens
constexpr double kPause = 0.2;                 // seconds between pieces
constexpr std::size_t kReferenceFrames = 517;  // 6 s: as long as references in training get

// What will be said: everything that can go wrong with a text has gone right.
struct PlannedText {
  SpokenText spoken;
  std::vector<TokenIds> pieces;
};

std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  const std::u32string letters = decode_utf8(text);
  return letters.size() <= kLongest ? text : encode_utf8(letters.substr(0, kLongest)) + "…";
}

PlannedText plan_text(const std::string& text,
                      const std::optional<Language>& language,
                      const TextFrontEnd& front_end) {
  const std::string clean = encode_utf8(decode_utf8(text));  // well-formed, whatever was given
  PlannedText planned;
  planned.spoken.text = clean;
  planned.spoken.language = language.value_or(language_by_script(clean));
  const Result<TextReading> whole = front_end.read(clean, planned.spoken.language);
  if (!whole) {
    throw MessageError(
        msg::synth_unreadable{.text = shortened(clean), .reason = reason_of(whole.failure())});
  }
  planned.spoken.normalised = whole.value().normalised;
  planned.spoken.unknown = whole.value().unknown;
  for (const std::string& piece : sentence_pieces(whole.value().normalised, kLongestPiece)) {
    Result<TokenIds> tokens = front_end.tokens(piece, planned.spoken.language);
    if (tokens) {  // a piece may be nothing but marks
      planned.pieces.push_back(std::move(tokens).value());
    }
  }
  if (planned.pieces.empty()) {
    throw MessageError(msg::synth_nothing_to_say{.text = shortened(clean)});
  }
  return planned;
}

// Log-mel of the middle of a recording.
std::vector<float> read_reference(const std::filesystem::path& path, const MelConfig& config) {
  AudioDecoder decoder(config.sample_rate);
  const Result<std::span<const float>> samples = decoder.decode(path);
  if (!samples) {
    throw MessageError(msg::reference_unreadable{.reason = reason_of(samples.failure())});
  }
  const auto bins = static_cast<std::size_t>(config.mel_bins);
  const std::size_t frames = samples.value().size() / static_cast<std::size_t>(config.hop);
  if (frames == 0) {
    throw MessageError(
        msg::reference_too_short{.file = path.string(), .samples = samples.value().size()});
  }
  std::vector<float> mel(frames * bins);
  MelExtractor(config).extract(samples.value(), mel);
  if (frames > kReferenceFrames) {
    const std::size_t first = (frames - kReferenceFrames) / 2;
    const std::span<const float> middle =
        std::span<const float>(mel).subspan(first * bins, kReferenceFrames * bins);
    return {middle.begin(), middle.end()};
  }
  return mel;
}

std::optional<int> find_speaker(const std::string& name, const std::vector<std::string>& speakers) {
  if (name.empty()) {
    return std::nullopt;
  }
  if (speakers.empty()) {
    throw MessageError(msg::speaker_none{.speaker = name});
  }
  const auto found = std::ranges::find(speakers, name);
  if (found == speakers.end()) {
    constexpr std::size_t kShown = 20;
    const std::span<const std::string> shown(speakers.data(), std::min(kShown, speakers.size()));
    std::vector<std::string> known(shown.begin(), shown.end());
    if (speakers.size() > kShown) {
      known.emplace_back("…");
    }
    throw MessageError(msg::speaker_unknown{.speaker = name, .known = known});
  }
  return static_cast<int>(found - speakers.begin());
}

struct Sound {
  std::vector<float> samples;
  std::vector<float> mel;
};

// The pieces one after the other, with a pause between them.
Sound say(const PlannedText& planned,
          SpeechModel& model,
          GriffinLim& vocoder,
          const SpeechOptions& options) {
  const auto pause =
      static_cast<std::size_t>(kPause * static_cast<double>(model.state().mel.sample_rate.value));
  Sound sound;
  for (const TokenIds& piece : planned.pieces) {
    if (!sound.samples.empty()) {
      sound.samples.insert(sound.samples.end(), pause, 0.0F);
    }
    const std::vector<float> mel = model.speak(piece, options);
    const std::vector<float> samples = vocoder.synthesise(mel);
    sound.mel.insert(sound.mel.end(), mel.begin(), mel.end());
    sound.samples.insert(sound.samples.end(), samples.begin(), samples.end());
  }
  return sound;
}

void warn_of_unknown(const SpokenText& spoken, const std::function<void(const Message&)>& warn) {
  if (spoken.unknown.empty() || !warn) {
    return;
  }
  std::vector<std::string> shown;
  for (const UnknownSymbol& one : spoken.unknown) {
    shown.push_back(fmt::format("{} ({} x)", describe_character(one.symbol), one.count));
  }
  warn(msg::synth_left_out{.text = shortened(spoken.text), .symbols = shown});
}

Message language_word(Language language) {
  return language == Language::en ? Message(msg::language_english{})
                                  : Message(msg::language_persian{});
}

// The text is in a language, or in the script of one, that the model was not trained on.
void warn_of_unseen(const SpokenText& spoken,
                    const std::vector<Language>& trained,
                    const std::function<void(const Message&)>& warn) {
  if (trained.empty() || !warn) {
    return;  // checkpoints of earlier versions do not say
  }
  for (const Language asked : {spoken.language, language_by_script(spoken.normalised)}) {
    if (std::ranges::find(trained, asked) == trained.end()) {
      warn(msg::synth_unseen{.text = shortened(spoken.text),
                             .trained = language_word(trained.front()),
                             .asked = language_word(asked)});
      return;
    }
  }
}

void write_files(SpokenText& spoken, const Sound& sound, const MelConfig& config) {
  write_wav(spoken.out, sound.samples, config.sample_rate);
  if (!spoken.mel.empty()) {
    write_npy(spoken.mel,
              sound.mel,
              static_cast<std::int64_t>(sound.mel.size()) / config.mel_bins,
              config.mel_bins);
  }
  spoken.audio_s =
      static_cast<double>(sound.samples.size()) / static_cast<double>(config.sample_rate.value);
}

std::vector<PlannedText> plan_texts(const SynthRequest& request, const SpeechModel& model) {
  std::vector<PlannedText> planned;
  for (const std::string& text : request.texts) {
    planned.push_back(plan_text(text, request.language, model.text()));
    SpokenText& spoken = planned.back().spoken;
    const bool several = request.texts.size() > 1;
    const std::size_t number = planned.size();
    spoken.out = several ? numbered(request.out, number) : request.out;
    if (!request.mel.empty()) {
      spoken.mel = several ? numbered(request.mel, number) : request.mel;
    }
    warn_of_unknown(spoken, request.warn);
    warn_of_unseen(spoken, model.state().languages, request.warn);
  }
  return planned;
}

}  // namespace

std::filesystem::path numbered(const std::filesystem::path& path, std::size_t number) {
  std::filesystem::path result = path;
  result.replace_filename(
      fmt::format("{}-{:03}{}", path.stem().string(), number, path.extension().string()));
  return result;
}

SynthReport run_synthesis(const SynthRequest& request) {
  if (request.texts.empty()) {
    throw MessageError(msg::usage_no_text{});
  }
  const auto warn = [&](const Message& text) {
    if (request.warn) {
      request.warn(text);
    }
  };
  const ChosenCheckpoint chosen = open_checkpoint(request.checkpoint, warn);
  torch::set_num_threads(
      speech_threads(chosen.model->state().model.size, allowed_cores(read_host_facts())));
  SpeechModel& model = *chosen.model;
  std::vector<PlannedText> planned = plan_texts(request, model);
  const std::vector<float> reference = request.reference.empty()
                                           ? std::vector<float>()
                                           : read_reference(request.reference, model.state().mel);
  const SpeechOptions options{.reference = reference,
                              .speaker = find_speaker(request.speaker, model.state().speakers),
                              .length_scale = request.length_scale};
  GriffinLim vocoder(model.state().mel);
  SynthReport report{.step = chosen.step, .checkpoint = chosen.folder};
  for (PlannedText& one : planned) {
    if (request.stop.stop_requested()) {
      break;
    }
    const Clock::time_point begin = Clock::now();
    const Sound sound = say(one, model, vocoder, options);
    report.work_s += seconds_since(begin).count();
    write_files(one.spoken, sound, model.state().mel);
    report.audio_s += one.spoken.audio_s;
    report.texts.push_back(std::move(one.spoken));
    if (request.progress) {
      request.progress(static_cast<std::int64_t>(report.texts.size()),
                       static_cast<std::int64_t>(planned.size()));
    }
  }
  return report;
}

nlohmann::json to_json(const SynthReport& report) {
  nlohmann::json texts = nlohmann::json::array();
  for (const SpokenText& one : report.texts) {
    nlohmann::json unknown = nlohmann::json::array();
    for (const UnknownSymbol& symbol : one.unknown) {
      unknown.push_back({{"symbol", symbol.symbol}, {"count", symbol.count}});
    }
    nlohmann::json text = {{"text", one.text},
                           {"normalised", one.normalised},
                           {"language", to_string(one.language)},
                           {"unknown", unknown},
                           {"out", one.out.string()},
                           {"audio_s", one.audio_s}};
    if (!one.mel.empty()) {
      text["mel"] = one.mel.string();
    }
    texts.push_back(std::move(text));
  }
  return {{"checkpoint", report.checkpoint.string()},
          {"step", report.step},
          {"texts", texts},
          {"audio_s", report.audio_s},
          {"work_s", report.work_s},
          {"real_time_factor", report.real_time_factor()}};
}

}  // namespace qanat
