// From text to sound files with a trained model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/language_tag.h"
#include "base/progress.h"
#include "base/time.h"
#include "speech/chosen_checkpoint.h"
#include "text/tokenizer.h"

namespace qanat {

struct SynthRequest {
  CheckpointChoice checkpoint;
  std::vector<std::string> texts;       // one sound file each
  std::optional<LanguageTag> language;  // unset: by the script of each text
  // Each one belongs to a text, and counts where `language` is unset and the model knows it.
  std::vector<std::optional<LanguageTag>> languages{};
  std::filesystem::path reference;  // recording of the voice; empty: none
  std::string speaker;              // of the model's table; empty: see DefaultSpeaker
  double length_scale = 1.0;        // above 1: slower
  std::string vocoder{};            // see open_vocoder()
  Seconds chunk{0};                 // sound is written in chunks of this length; 0: at its end
  std::filesystem::path out;        // WAV; several texts: numbered; "-": standard output, in chunks
  std::filesystem::path mel;        // NPY [frames, mel_bins]; empty: not written
  std::function<void(const Message&)> warn;
  ProgressFn progress;  // of all sentences, and parts of long ones
  std::stop_token stop;
};

struct SpokenText {
  std::string text;
  std::string normalised;  // how it was read
  LanguageTag language;
  std::vector<UnknownSymbol> unknown;  // characters that were left out
  std::filesystem::path out;
  std::filesystem::path mel;  // empty: not written
  double audio_s = 0.0;
  double work_s = 0.0;                 // model and vocoder
  std::optional<double> first_s = {};  // until the first chunk was written; absent: not in chunks
};

struct SynthReport {
  std::int64_t step = 0;
  std::filesystem::path checkpoint;
  std::string vocoder{};                                  // who spoke
  std::optional<std::filesystem::path> vocoder_folder{};  // absent: Griffin-Lim
  std::vector<SpokenText> texts;
  double audio_s = 0.0;
  double work_s = 0.0;  // model and vocoder, without loading and writing

  double real_time_factor() const { return audio_s > 0 ? work_s / audio_s : 0.0; }
};

nlohmann::json to_json(const SynthReport& report);

// Every text is read before the first is spoken, so a bad one costs no waiting. Throws Error for a
// text without anything to say, an unknown speaker, an unreadable reference, no checkpoint.
// Stopped, it ends behind the sentence it is at and reports the texts that are written as a whole.
SynthReport run_synthesis(const SynthRequest& request);

// `speech.wav` and 3 to `speech-003.wav`.
std::filesystem::path numbered(const std::filesystem::path& path, std::size_t number);

}  // namespace qanat
