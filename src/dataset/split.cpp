#include "dataset/split.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "dataset/content_hash.h"

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
double least_fraction(const Manifest& manifest, std::uint64_t seed) {
  double least = 1.0;
  for (const Utterance& utterance : manifest.utterances) {
    least = std::min(least, position_of(utterance, seed));
  }
  return std::min(1.0, std::floor(least * 100.0 + 1.0) / 100.0);
}

}  // namespace

DatasetSplit split_dataset(const Manifest& manifest, const SplitOptions& options) {
  const bool by_files = is_divided_by_files(manifest);
  DatasetSplit split;
  for (std::uint32_t i = 0; i < manifest.utterances.size(); ++i) {
    const Utterance& utterance = manifest.utterances[i];
    const bool validates = by_files ? utterance.split == SplitHint::validation
                                    : position_of(utterance, options.seed) < options.val_fraction;
    (validates ? split.validation : split.train).push_back(i);
  }
  return split;
}

void refuse_empty_split(const Manifest& manifest,
                        const DatasetSplit& split,
                        const SplitOptions& options) {
  if (!split.train.empty() && !split.validation.empty()) {
    return;
  }
  const char* const empty = split.train.empty() ? "training" : "validation";
  if (is_divided_by_files(manifest)) {
    throw Error(
        "{}: the {} set is empty: all {} usable rows are in metadata_eval.csv; expected "
        "some in metadata_train.csv",
        manifest.root.string(),
        empty,
        split.validation.size());
  }
  if (manifest.utterances.size() < 2) {
    throw Error(
        "{}: the {} set is empty: the data set has {} usable utterance; expected at least 2",
        manifest.root.string(),
        empty,
        manifest.utterances.size());
  }
  throw Error(
      "{}: the {} set is empty: {} utterances divide into {} for training and {} for validation "
      "at a validation fraction of {}; try a fraction of {:.2f}, or a metadata_eval.csv",
      manifest.root.string(),
      empty,
      manifest.utterances.size(),
      split.train.size(),
      split.validation.size(),
      options.val_fraction,
      least_fraction(manifest, options.seed));
}

}  // namespace qanat
