// From the paths the user gave to the training and validation sets: reads manifests, measures
// lengths, skips and lists over-long and broken utterances, and splits the rest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "dataset/dataset_index.h"
#include "dataset/manifest.h"
#include "dataset/problem.h"

namespace qanat {

struct LengthLimits {
  TokenCount max_tokens{200};
  FrameCount max_frames{1024};
  SampleCount min_samples{2205};  // 0.1 s
  SampleRate rate{22050};         // of the samples; to say seconds
  std::int64_t hop = 256;         // samples per frame
};

// Mel frames of so many samples; as features/mel_config.h counts them.
FrameCount frames_of(SampleCount samples, const LengthLimits& limits);

struct DroppedItem {
  std::uint32_t item = 0;
  ProblemKind kind = ProblemKind::unreadable_audio;
  MessageArg detail;

  bool operator==(const DroppedItem&) const = default;
};

// Which utterances fit the limits of a run. Nothing is ever cut to fit: text and audio would no
// longer say the same.
struct Partition {
  std::vector<std::uint32_t> usable;  // ascending
  std::vector<DroppedItem> dropped;   // ascending by item, each with its first reason
};

Partition partition(const DatasetIndex& index, const LengthLimits& limits);

// `3 audio_too_long, 1 unreadable_audio`; empty when nothing was dropped.
std::string summary(const Partition& partition);

// How a run chose what it validated on; all else was trained on.
struct SplitRule {
  enum class By {
    hash,     // of id and seed
    files,    // metadata_eval.csv
    nothing,  // all of the set trained
  };
  By by = By::hash;
  double val_fraction = 0;  // of By::hash
  std::uint64_t seed = 0;   // of By::hash

  bool operator==(const SplitRule&) const = default;
};

struct SplitOptions {
  double val_fraction = 0.05;  // of the utterances, where no manifest says which validate
  std::uint64_t seed = 0;
  // By which the run divided the set before: what one of them trained on does not validate.
  std::vector<SplitRule> earlier{};
  // A checkpoint that stores no rules sets it: they hold only where no files divide the set.
  bool earlier_is_guess = false;
};

// Items of a manifest, ascending.
struct DatasetSplit {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> validation;
  std::int64_t kept = 0;  // that train only because they were trained on before
};

// How split_dataset() divides.
SplitRule rule_of(const Manifest& manifest, const SplitOptions& options);

// Divides the items named. Where there is a metadata_eval.csv, its rows validate and all others
// train. Else the hash of id and seed decides, for every utterance alone: adding, removing or
// reordering rows moves no other row to the other side. What an earlier rule trained on trains.
// Either side may turn out empty.
DatasetSplit split_dataset(const Manifest& manifest,
                           std::span<const std::uint32_t> items,
                           const SplitOptions& options);

// Why a run cannot use this split: nothing is left to train on; with the counts.
std::optional<Message> why_unusable(const Manifest& manifest, const DatasetSplit& split);

// Why a run that uses this split goes without validation although it wants one, and what to do.
std::optional<Message> why_without_validation(const Manifest& manifest,
                                              const DatasetSplit& split,
                                              const SplitOptions& options);

struct TrainingSetOptions {
  std::filesystem::path train_data;
  std::optional<std::filesystem::path> val_data;  // unset: a part of train_data
  std::optional<LanguageTag> language;            // of rows that do not say
  TextUse text = TextUse::tokens;
  ColumnChoice columns{};  // of tables
  // Applies to train_data, and what is divided from it (data_view.h). Unset: all of it, as it is.
  std::optional<std::filesystem::path> view{};
  SplitOptions split;
  LengthLimits limits;
  StoreSettings store{};
  IndexOptions index;  // cache_folders empty: index_cache_folders() of each set
};

// Utterances that can be used, with their lengths: entry i is of utterance i.
struct UtteranceSet {
  Manifest manifest;  // problems: all that was left out, by source and line
  DatasetIndex index;
};

struct TrainingSets {
  UtteranceSet train;
  std::optional<UtteranceSet> validation;  // absent: nothing is left to validate on,
  std::optional<Message> note{};           // and why
  SplitRule rule{};                        // by which they were divided
  std::int64_t kept = 0;                   // see DatasetSplit
};

// Nothing when stopped. Throws Error when a set cannot be read or nothing is left to train on. With
// one root for both, the problems are all in train.manifest.
std::optional<TrainingSets> load_training_sets(const TrainingSetOptions& options,
                                               const IndexSources& sources);

// The same of rows that are no file: one set, divided by the hash of the ids. Lengths are kept on
// disk only where options name a folder for it. Paths in `options` are not looked at.
std::optional<TrainingSets> divide_manifest(Manifest manifest,
                                            const TrainingSetOptions& options,
                                            const IndexSources& sources);
std::optional<UtteranceSet> measure_manifest(Manifest manifest,
                                             const TrainingSetOptions& options,
                                             const IndexSources& sources);

// One set as a whole, for tools: everything usable in the folder, whichever manifest names it.
std::optional<UtteranceSet> load_utterance_set(const std::filesystem::path& data,
                                               const TrainingSetOptions& options,
                                               const IndexSources& sources);

}  // namespace qanat
