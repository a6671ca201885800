// What has to be known of a checkpoint to use its weights: which network, which symbols, which
// speakers, which spectrogram. Stored in state.json beside whatever else the trainer keeps there.
//
// Values and pure functions; no libtorch. docs/en/checkpoint_format.md describes the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/language_tag.h"
#include "base/result.h"
#include "config/run_config.h"
#include "features/mel_config.h"
#include "text/text_front_end.h"

namespace qanat {

// The network: model_shape() of these and the number of speakers.
struct StoredModel {
  ModelSize size = ModelSize::tiny;
  int vocabulary = 0;       // symbols
  float mel_mean = -5.54F;  // of log-mel values; the network works on (mel - mean) / std
  float mel_std = 2.12F;

  bool operator==(const StoredModel&) const = default;
};

// How text becomes ids.
struct StoredText {
  SymbolSet units = SymbolSet::characters;
  StressMarks stress = StressMarks::keep;
  SpellingVariants spelling = SpellingVariants::unify;
  EzafeMarks ezafe = EzafeMarks::as_written;
  std::uint64_t symbol_table_hash = 0;  // Tokenizer::hash(): other ids, other meaning
  std::uint64_t front_end_hash = 0;     // TextFrontEnd::hash(): other rules, other pronunciation
  LearntSymbols symbols{};              // behind those of the built-in table
  FrontEndIdentity g2p{};               // of SymbolSet::own

  bool operator==(const StoredText&) const = default;
};

struct CheckpointState {
  StoredModel model;
  StoredText text;
  std::vector<std::string> speakers;     // the speaker table, by id; empty: the model has none
  std::vector<LanguageTag> languages{};  // of the training texts; empty: not recorded (older files)
  MelConfig mel;

  bool operator==(const CheckpointState&) const = default;
};

// What has to be known of the checkpoint of a vocoder: the generator, which is all that speaks.
struct VocoderState {
  ModelSize size = ModelSize::tiny;
  std::int64_t width = 1;
  std::int64_t ffn = 1;
  std::int64_t blocks = 1;
  std::int64_t kernel = 7;
  std::int64_t refinements = 0;
  double mel_mean = 0;
  double mel_std = 1;
  MelConfig mel;

  bool operator==(const VocoderState&) const = default;
};

// An object with the keys format, version, task, vocoder and mel.
nlohmann::json to_json(const VocoderState& state);
// As to_checkpoint_state().
Result<VocoderState> to_vocoder_state(const nlohmann::json& json);

// What the checkpoint is of; those that do not say are of the speech model.
TrainingTask stored_task(const nlohmann::json& json);

StoredText stored_text(const TextConfig& config,
                       const TextFrontEnd& front_end,
                       std::span<const LanguageTag> languages = {});

// Settings of a front end that gives the ids of the checkpoint; espeak-ng's program and cache stay
// at their defaults, and so does g2p: a command is not run because a file says so.
// symbol_table_hash tells whether it does.
TextConfig make_text_config(const StoredText& text);

// An object with the keys format, version, model, text, speakers, languages and mel. The trainer
// adds its own keys beside them; to_checkpoint_state() does not look at those.
nlohmann::json to_json(const CheckpointState& state);
// Never trusts its input: every field is there, of its type and in its range, or a Failure names
// it.
Result<CheckpointState> to_checkpoint_state(const nlohmann::json& json);

}  // namespace qanat
