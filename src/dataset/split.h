// Which utterances train and which validate.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/manifest.h"

namespace qanat {

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
  // Of a checkpoint that stores no rules: they hold only where no files divide the set.
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

}  // namespace qanat
