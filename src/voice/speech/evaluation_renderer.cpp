#include "speech/evaluation_renderer.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "audio/wav_writer.h"
#include "base/content_hash.h"
#include "base/files.h"
#include "base/utf8.h"
#include "features/mel_filterbank.h"
#include "features/mel_image.h"
#include "locale/message_error.h"
#include "locale/messages/languages.h"
#include "locale/messages/speech_errors.h"
#include "speech/choose_language.h"
#include "speech/open_vocoder.h"
#include "speech/speech_model.h"
#include "speech/text_grid.h"

namespace qanat {
namespace {

// Writes stem.wav and stem.png, each whole or not at all, of [frames, mel_bins] natural logs; makes
// the folder. `vocoder` belongs to the calling thread; its spectrogram is that of `mel`. Throws
// Error when the disk refuses.
void render_evaluation(const std::filesystem::path& stem,
                       std::span<const float> mel,
                       const MelConfig& config,
                       Vocoder& vocoder) {
  make_folders(stem.parent_path());
  std::filesystem::path sound = stem;
  sound += ".wav";
  write_wav(sound, vocoder.synthesise(mel), config.sample_rate);
  std::filesystem::path picture = stem;
  picture += ".png";
  write_mel_image(picture, mel, config.mel_bins);
}

// Tags of languages are no sound.
std::vector<EvaluationRendered::Symbol> symbols_of(const TokenTimes& times,
                                                   const Tokenizer& tokenizer) {
  std::vector<EvaluationRendered::Symbol> symbols;
  for (const GridInterval& one : token_intervals(times, tokenizer)) {
    const bool is_special =
        std::ranges::find(kSpecialSymbols, one.label) != kSpecialSymbols.end() ||
        to_language_symbol(one.label);
    symbols.push_back({.symbol = is_special ? std::string() : one.label, .end = one.end});
  }
  return symbols;
}

// The sentences everybody gets are English and Persian: nothing to a model of other languages.
bool is_of_no_use(const EvaluationSentence& sentence, const std::vector<LanguageTag>& trained) {
  const bool is_default = sentence.language && sentence.recording.empty();
  const bool own_only =
      std::ranges::all_of(trained, [](const LanguageTag& one) { return one.reader().has_value(); });
  return is_default && !own_only && std::ranges::find(trained, *sentence.language) == trained.end();
}

std::vector<std::string> tags_of(const std::vector<LanguageTag>& languages) {
  std::vector<std::string> tags;
  for (const LanguageTag& language : languages) {
    tags.push_back(language.text());
  }
  return tags;
}

}  // namespace

std::string write_recording(const std::filesystem::path& folder,
                            std::span<const float> samples,
                            SampleRate rate) {
  const std::string name =
      fmt::format("recording-{:016x}.wav", content_hash(std::as_bytes(samples)));
  if (!std::filesystem::exists(folder / name)) {
    make_folders(folder);
    write_wav(folder / name, samples, rate);
  }
  return name;
}

std::vector<EvaluationSentence> read_evaluation_sentences(
    const std::optional<std::filesystem::path>& file) {
  if (!file) {
    return {
        {.text = "The water comes down from the hills by itself.", .language = Language::en},
        {.text = "آب از کوه آرام به شهر می‌رسد.", .language = Language::fa}};
  }
  const Result<std::string> content = read_text_file(*file, mebibytes(1));
  if (!content) {
    throw MessageError(msg::evaluation_unreadable{.reason = reason_of(content.failure())});
  }
  std::vector<EvaluationSentence> sentences;
  const std::string& text = content.value();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = encode_utf8(decode_utf8(text.substr(begin, end - begin)));
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (last != std::string::npos) {
      sentences.push_back({.text = line.substr(0, last + 1)});
    }
    begin = end + 1;
  }
  if (sentences.empty()) {
    throw MessageError(msg::evaluation_none{.file = file->string()});
  }
  return sentences;
}

EvaluationRenderer::EvaluationRenderer(CheckpointState state,
                                       std::shared_ptr<const TextFrontEnd> text,
                                       const std::vector<EvaluationSentence>& sentences,
                                       std::filesystem::path folder)
    : state_(std::move(state)),
      text_(std::move(text)),
      folder_(std::move(folder)),
      griffin_lim_(open_vocoder(kGriffinLim, {}, state_.mel).vocoder) {
  for (const EvaluationSentence& one : sentences) {
    if (is_of_no_use(one, state_.languages)) {
      continue;
    }
    const std::optional<LanguageTag> language =
        one.language ? one.language : choose_language(one.text, state_.languages);
    Result<TokenIds> tokens =
        language ? text_->tokens(one.text, *language)
                 : to_failure(msg::synth_say_language{.text = one.text,
                                                      .languages = tags_of(state_.languages),
                                                      .example = state_.languages.front().text()});
    if (!tokens && !one.recording.empty()) {
      continue;
    }
    if (!tokens) {
      throw MessageError(
          msg::evaluation_sentence{.text = one.text, .reason = reason_of(tokens.failure())});
    }
    sentences_.push_back(
        {.text = one.text, .tokens = std::move(tokens).value(), .recording = one.recording});
  }
}

// The folder of the renders lies in that of the checkpoints.
Vocoder& EvaluationRenderer::vocoder() {
  try {
    OpenedVocoder opened = open_vocoder("", folder_, state_.mel);
    if (!opened.folder) {
      return *griffin_lim_;
    }
    trained_ = std::move(opened.vocoder);
    return *trained_;
  } catch (const Error&) {
    return *griffin_lim_;  // damaged, or of other mel: no reason to stop a training
  }
}

EvaluationRender EvaluationRenderer::render(std::int64_t step, const TensorMap& weights) {
  SpeechModel model(state_, weights, text_);
  Vocoder& speaks = vocoder();
  EvaluationRender render{.folder = folder_ / fmt::format("step-{:09}", step),
                          .vocoder = speaks.name(),
                          .sentences = {},
                          .mel = state_.mel};
  const Seconds hop(static_cast<double>(state_.mel.hop) /
                    static_cast<double>(state_.mel.sample_rate.value));
  for (const Sentence& sentence : sentences_) {
    const TimedSpeech speech = model.speak_timed(sentence.tokens);
    const auto frames = speech.mel.size() / static_cast<std::size_t>(state_.mel.mel_bins);
    render.sentences.push_back(
        {.text = sentence.text,
         .length = hop * static_cast<double>(frames),
         .symbols = symbols_of(
             {.tokens = sentence.tokens, .frames = speech.frames, .frame_s = hop.count()},
             text_->tokenizer())});
    if (!sentence.recording.empty()) {
      render.sentences.back().recording =
          write_recording(folder_, sentence.recording, state_.mel.sample_rate);
    }
    render_evaluation(render.folder / fmt::format("sentence-{}", render.sentences.size()),
                      speech.mel,
                      state_.mel,
                      speaks);
  }
  return render;
}

EvaluationRendered to_event(const EvaluationRender& render, std::int64_t step, Seconds took) {
  EvaluationRendered event{
      .step = step, .folder = render.folder.string(), .seconds = took, .vocoder = render.vocoder};
  for (const EvaluationRender::Sentence& sentence : render.sentences) {
    event.sentences.push_back({.text = sentence.text,
                               .seconds = sentence.length.count(),
                               .symbols = sentence.symbols,
                               .recording = sentence.recording});
  }
  for (const double hz : {0.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0}) {
    if (hz >= render.mel.fmin && hz <= render.mel.fmax) {
      event.axis.push_back({.hz = hz, .at = mel_position(hz, render.mel)});
    }
  }
  return event;
}

}  // namespace qanat
