#include "speech/synth_session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "audio/audio_decoder.h"
#include "audio/wav_stream.h"
#include "audio/wav_writer.h"
#include "base/time.h"
#include "base/utf8.h"
#include "dataset/script.h"
#include "features/mel_extractor.h"
#include "features/npy_writer.h"
#include "locale/message_error.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/speech_errors.h"
#include "monitor/host_facts.h"
#include "speech/open_vocoder.h"
#include "speech/sentence_pieces.h"
#include "speech/speech_model.h"
#include "speech/vocode_chunks.h"

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

// Who speaks, and how.
struct Speaking {
  SpeechModel& model;
  Vocoder& vocoder;
  SpeechOptions options;
  int chunk_frames = 0;  // 0: everything at once
  std::function<void()> on_piece;
  std::stop_token stop;
};

// The pieces one after the other, with a pause between them, handed to `take` as they are made.
// Returns their log-mel; nothing when stopped.
std::optional<std::vector<float>> say(const PlannedText& planned,
                                      const Speaking& with,
                                      const SamplesFn& take) {
  const double rate = static_cast<double>(with.model.state().mel.sample_rate.value);
  const std::vector<float> pause(static_cast<std::size_t>(kPause * rate), 0.0F);
  std::vector<float> all;
  for (const TokenIds& piece : planned.pieces) {
    if (with.stop.stop_requested()) {
      return std::nullopt;
    }
    if (!all.empty()) {
      take(pause);
    }
    const std::vector<float> mel = with.model.speak(piece, with.options);
    vocode_chunks(with.vocoder, mel, with.chunk_frames, take);
    all.insert(all.end(), mel.begin(), mel.end());
    with.on_piece();
  }
  return all;
}

// To a file that is there at its end; stopped, there is none.
std::optional<std::vector<float>> say_whole(const PlannedText& planned,
                                            const Speaking& with,
                                            SpokenText& spoken) {
  std::vector<float> samples;
  const Clock::time_point begin = Clock::now();
  std::optional<std::vector<float>> mel = say(planned, with, [&](std::span<const float> more) {
    samples.insert(samples.end(), more.begin(), more.end());
  });
  if (!mel) {
    return std::nullopt;
  }
  spoken.work_s = seconds_since(begin).count();
  const SampleRate rate = with.vocoder.mel().sample_rate;
  write_wav(spoken.out, samples, rate);
  spoken.audio_s = static_cast<double>(samples.size()) / static_cast<double>(rate.value);
  return mel;
}

// To a file, or standard output, that grows; stopped, it ends behind a sentence.
std::optional<std::vector<float>> say_in_chunks(const PlannedText& planned,
                                                const Speaking& with,
                                                SpokenText& spoken) {
  const SampleRate rate = with.vocoder.mel().sample_rate;
  WavStream stream(spoken.out, rate);
  const Clock::time_point begin = Clock::now();
  std::optional<std::vector<float>> mel = say(planned, with, [&](std::span<const float> more) {
    stream.write(more);
    if (!spoken.first_s) {
      spoken.first_s = seconds_since(begin).count();
    }
  });
  spoken.work_s = seconds_since(begin).count();
  stream.finish();
  spoken.audio_s = static_cast<double>(stream.samples()) / static_cast<double>(rate.value);
  return mel;
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

std::int64_t num_pieces(const std::vector<PlannedText>& planned) {
  std::int64_t count = 0;
  for (const PlannedText& one : planned) {
    count += std::ssize(one.pieces);
  }
  return count;
}

// At least one; a vocoder that needs everything at once is given a sentence at a time.
int chunk_frames(const SynthRequest& request, const Vocoder& vocoder) {
  constexpr Seconds kDefault{0.5};
  if (request.chunk <= Seconds{0} && request.out != "-") {
    return 0;
  }
  if (!vocoder.context() && request.warn) {
    request.warn(msg::synth_no_chunks{.vocoder = vocoder.name()});
  }
  const Seconds chunk = request.chunk > Seconds{0} ? request.chunk : kDefault;
  const MelConfig& mel = vocoder.mel();
  return std::max(1,
                  static_cast<int>(std::lround(
                      chunk.count() * static_cast<double>(mel.sample_rate.value) / mel.hop)));
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
  const MelConfig& mel = model.state().mel;
  const OpenedVocoder opened = open_vocoder(request.vocoder, chosen.folder, mel);
  if (opened.note) {
    warn(*opened.note);
  }
  std::int64_t done = 0;
  const std::int64_t pieces = num_pieces(planned);
  const auto on_piece = [&] {
    if (++done; request.progress) {
      request.progress(done, pieces);
    }
  };
  const Speaking speaking{.model = model,
                          .vocoder = *opened.vocoder,
                          .options = options,
                          .chunk_frames = chunk_frames(request, *opened.vocoder),
                          .on_piece = on_piece,
                          .stop = request.stop};
  SynthReport report{.step = chosen.step,
                     .checkpoint = chosen.folder,
                     .vocoder = opened.vocoder->name(),
                     .vocoder_folder = opened.folder};
  for (PlannedText& one : planned) {
    const bool whole = request.chunk <= Seconds{0} && request.out != "-";
    const std::optional<std::vector<float>> said =
        whole ? say_whole(one, speaking, one.spoken) : say_in_chunks(one, speaking, one.spoken);
    if (!said) {
      break;
    }
    if (!one.spoken.mel.empty()) {
      write_npy(one.spoken.mel,
                *said,
                static_cast<std::int64_t>(said->size()) / mel.mel_bins,
                mel.mel_bins);
    }
    report.work_s += one.spoken.work_s;
    report.audio_s += one.spoken.audio_s;
    report.texts.push_back(std::move(one.spoken));
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
                           {"audio_s", one.audio_s},
                           {"work_s", one.work_s}};
    if (one.first_s) {
      text["first_s"] = *one.first_s;
    }
    if (!one.mel.empty()) {
      text["mel"] = one.mel.string();
    }
    texts.push_back(std::move(text));
  }
  return {{"checkpoint", report.checkpoint.string()},
          {"step", report.step},
          {"vocoder",
           {{"name", report.vocoder},
            {"folder",
             report.vocoder_folder ? nlohmann::json(report.vocoder_folder->string())
                                   : nlohmann::json()}}},
          {"texts", texts},
          {"audio_s", report.audio_s},
          {"work_s", report.work_s},
          {"real_time_factor", report.real_time_factor()}};
}

}  // namespace qanat
