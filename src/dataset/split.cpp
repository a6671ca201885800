#include "dataset/split.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/content_hash.h"

namespace qanat {
namespace {

// Where an id stands between 0 and 1; 53 bits, so that every value is exact.
double position_of(const Utterance& utterance, std::uint64_t seed) {
  constexpr double kScale = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(content_hash(utterance.id, seed) >> 11) * kScale;
}

bool is_divided_by_files(const Manifest& manifest) {
  return std::ranges::find(manifest.utterances, SplitHint::validation, &Utterance::split) !=
         manifest.utterances.end();
}

// The smallest round fraction that puts something on the validation side.
double least_fraction(const Manifest& manifest,
                      const DatasetSplit& split,
                      const SplitOptions& options) {
  double least = 1.0;
  for (const std::vector<std::uint32_t>* side : {&split.train, &split.validation}) {
    for (const std::uint32_t item : *side) {
      least = std::min(least, position_of(manifest.utterances[item], options.seed));
    }
  }
  return std::min(1.0, std::floor(least * 100.0 + 1.0) / 100.0);
}

}  // namespace

DatasetSplit split_dataset(const Manifest& manifest,
                           std::span<const std::uint32_t> items,
                           const SplitOptions& options) {
  const bool by_files = is_divided_by_files(manifest);
  DatasetSplit split;
  for (const std::uint32_t item : items) {
    const Utterance& utterance = manifest.utterances[item];
    const bool validates = by_files ? utterance.split == SplitHint::validation
                                    : position_of(utterance, options.seed) < options.val_fraction;
    (validates ? split.validation : split.train).push_back(item);
  }
  return split;
}

std::optional<std::string> why_unusable(const Manifest& manifest,
                                        const DatasetSplit& split,
                                        const SplitOptions& options) {
  if (!split.train.empty() && !split.validation.empty()) {
    return std::nullopt;
  }
  const std::size_t total = split.train.size() + split.validation.size();
  const std::string what = fmt::format(
      "{}: the {} set is empty: of {} usable utterances {} are for training and {} for validation",
      manifest.root.string(),
      split.train.empty() ? "training" : "validation",
      total,
      split.train.size(),
      split.validation.size());
  if (is_divided_by_files(manifest)) {
    return what + "; expected usable rows in both metadata_train.csv and metadata_eval.csv";
  }
  if (total < 2) {
    return what + "; expected at least 2";
  }
  return fmt::format("{} at val_split {}; try val_split {:.2f}, or rows in a metadata_eval.csv",
                     what,
                     options.val_fraction,
                     least_fraction(manifest, split, options));
}

}  // namespace qanat
