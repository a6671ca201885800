// From the paths the user gave to the training and validation sets: reads manifests, measures
// lengths, skips and lists over-long and broken utterances, and splits the rest.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/dataset_index.h"
#include "dataset/manifest.h"
#include "dataset/partition.h"
#include "dataset/split.h"

namespace qanat {

struct TrainingSetOptions {
  std::filesystem::path train_data;
  std::optional<std::filesystem::path> val_data;  // unset: a part of train_data
  std::optional<Language> language;               // of rows that do not say
  SplitOptions split;
  LengthLimits limits;
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

// One set as a whole, for tools: everything usable in the folder, whichever manifest names it.
std::optional<UtteranceSet> load_utterance_set(const std::filesystem::path& data,
                                               const TrainingSetOptions& options,
                                               const IndexSources& sources);

}  // namespace qanat
