#include "speech/synth_session.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "audio/wav_stream.h"
#include "audio/wav_writer.h"
#include "base/time.h"
#include "base/utf8.h"
#include "dataset/script.h"
#include "features/npy_writer.h"
#include "locale/message_error.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/languages.h"
#include "locale/messages/speech_errors.h"
#include "monitor/host_facts.h"
#include "speech/choose_language.h"
#include "speech/open_vocoder.h"
#include "speech/planned_text.h"
#include "speech/speech_model.h"
#include "speech/speech_stream.h"
#include "speech/vocode_chunks.h"
#include "speech/voice_of.h"

namespace qanat {
namespace {

// Who speaks, and how.
struct Speaking {
  const ChosenCheckpoint& chosen;
  SpeechModel& model;  // its
  Vocoder& vocoder;
  SpeechOptions options;
  ChunkLengths chunks;
  std::function<void()> on_piece;
  std::stop_token stop;
};

// Nobody where the checkpoint does not say.
std::optional<int> default_speaker(const ChosenCheckpoint& chosen, const LanguageTag& language) {
  const auto found =
      std::ranges::find(chosen.default_speakers, language, &DefaultSpeaker::language);
  return found == chosen.default_speakers.end() ? std::nullopt : std::optional(found->speaker);
}

// The pieces one after the other, handed to `take` as they are made. Returns their log-mel; nothing
// when stopped.
std::optional<std::vector<float>> say(const PlannedText& planned,
                                      const Speaking& with,
                                      const SamplesFn& take) {
  SpeechOptions options = with.options;
  if (!options.speaker && options.reference.empty()) {
    options.speaker = default_speaker(with.chosen, planned.language);
  }
  SpeechStream stream(planned, options, with.chunks);
  std::vector<float> all;
  std::size_t done = 0;
  for (;;) {
    const bool begins = stream.is_between_pieces();
    if (begins && with.stop.stop_requested()) {
      return std::nullopt;
    }
    const std::optional<std::vector<float>> samples = stream.next(with.model, with.vocoder);
    for (; done < stream.pieces_done(); ++done) {
      with.on_piece();
    }
    if (!samples) {
      return all;
    }
    if (begins) {
      all.insert(all.end(), stream.mel().begin(), stream.mel().end());
    }
    take(*samples);
  }
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

void warn_of_unlearnt(const UnlearntSymbols& unlearnt,
                      const std::function<void(const Message&)>& warn) {
  if (!warn) {
    return;
  }
  std::vector<std::string> shown;
  for (const UnknownSymbol& one : unlearnt.symbols) {
    shown.push_back(fmt::format("{} ({} x)", describe_character(one.symbol), one.count));
  }
  warn(msg::synth_left_out{.text = shortened(unlearnt.sentence), .symbols = shown});
}

MessageArg language_word(const LanguageTag& language) {
  if (language == Language::en) {
    return Message(msg::language_english{});
  }
  return language == Language::fa ? MessageArg(Message(msg::language_persian{}))
                                  : MessageArg(language.text());
}

// The text is in a language, or in the script of one, that the model was not trained on.
void warn_of_unseen(const SpokenText& spoken,
                    const std::vector<LanguageTag>& trained,
                    const std::function<void(const Message&)>& warn) {
  if (trained.empty() || !warn) {
    return;  // checkpoints of earlier versions do not say
  }
  const std::optional<LanguageTag> written = script_of(spoken.normalised).language;
  for (const LanguageTag& asked : {spoken.language, written.value_or(spoken.language)}) {
    // Other languages may be written in the letters of these; what is not learnt is told above.
    const bool compared =
        asked.reader() && std::ranges::all_of(trained, [](const LanguageTag& one) {
          return one.reader().has_value();
        });
    if ((compared || asked == spoken.language) &&
        std::ranges::find(trained, asked) == trained.end()) {
      warn(msg::synth_unseen{.text = shortened(spoken.text),
                             .trained = language_word(trained.front()),
                             .asked = language_word(asked)});
      return;
    }
  }
}

struct OneOfTheTexts {
  PlannedText planned;
  SpokenText spoken;
};

// What is said of a text; nothing: its script is left to decide.
std::optional<LanguageTag> language_of(const SynthRequest& request,
                                       std::size_t text,
                                       const std::vector<LanguageTag>& trained) {
  if (request.language || request.languages.empty() || !request.languages[text]) {
    return request.language;
  }
  const LanguageTag& own = *request.languages[text];
  const bool is_known =
      trained.empty() ? own.reader().has_value() : std::ranges::find(trained, own) != trained.end();
  return is_known ? std::optional(own) : std::nullopt;
}

std::vector<OneOfTheTexts> plan_texts(const SynthRequest& request, const SpeechModel& model) {
  std::vector<OneOfTheTexts> texts;
  for (const std::string& text : request.texts) {
    PlannedText planned =
        plan_text(text, language_of(request, texts.size(), model.state().languages), model);
    SpokenText spoken{.text = planned.text,
                      .normalised = planned.normalised,
                      .language = planned.language,
                      .unknown = planned.unknown};
    const bool several = request.texts.size() > 1;
    const std::size_t number = texts.size() + 1;
    spoken.out = several ? numbered(request.out, number) : request.out;
    if (!request.mel.empty()) {
      spoken.mel = several ? numbered(request.mel, number) : request.mel;
    }
    for (const UnlearntSymbols& one : planned.unlearnt) {
      warn_of_unlearnt(one, request.warn);
    }
    warn_of_unseen(spoken, model.state().languages, request.warn);
    texts.push_back({.planned = std::move(planned), .spoken = std::move(spoken)});
  }
  return texts;
}

std::int64_t num_pieces(const std::vector<OneOfTheTexts>& texts) {
  std::int64_t count = 0;
  for (const OneOfTheTexts& one : texts) {
    count += std::ssize(one.planned.pieces);
  }
  return count;
}

// At least one frame; a vocoder that needs everything at once is given a sentence at a time.
ChunkLengths chunk_lengths(const SynthRequest& request, const Vocoder& vocoder) {
  if (request.chunk <= Seconds{0} && request.out != "-") {
    return {};
  }
  if (!vocoder.context() && request.warn) {
    request.warn(msg::synth_no_chunks{.vocoder = vocoder.name()});
  }
  if (request.chunk <= Seconds{0}) {
    return streaming_chunks(vocoder.mel());
  }
  const int frames = frames_of(request.chunk, vocoder.mel());
  return {.first = frames, .most = frames};
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
  std::vector<OneOfTheTexts> texts = plan_texts(request, model);
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
  const std::int64_t pieces = num_pieces(texts);
  const auto on_piece = [&] {
    if (++done; request.progress) {
      request.progress(done, pieces);
    }
  };
  const Speaking speaking{.chosen = chosen,
                          .model = model,
                          .vocoder = *opened.vocoder,
                          .options = options,
                          .chunks = chunk_lengths(request, *opened.vocoder),
                          .on_piece = on_piece,
                          .stop = request.stop};
  SynthReport report{.step = chosen.step,
                     .checkpoint = chosen.folder,
                     .vocoder = opened.vocoder->name(),
                     .vocoder_folder = opened.folder};
  for (OneOfTheTexts& one : texts) {
    const bool whole = request.chunk <= Seconds{0} && request.out != "-";
    const std::optional<std::vector<float>> said =
        whole ? say_whole(one.planned, speaking, one.spoken)
              : say_in_chunks(one.planned, speaking, one.spoken);
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
