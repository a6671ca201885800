#include "dataset/split.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "locale/messages.h"

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

bool is_validated_by(const Utterance& utterance, const SplitRule& rule) {
  switch (rule.by) {
    case SplitRule::By::hash:
      return position_of(utterance, rule.seed) < rule.val_fraction;
    case SplitRule::By::files:
      return utterance.split == SplitHint::validation;
    case SplitRule::By::nothing:
      return false;
  }
  return false;
}

// The smallest round fraction that puts something on the validation side.
double least_fraction(const Manifest& manifest,
                      const DatasetSplit& split,
                      const SplitOptions& options) {
  double least = 1.0;
  for (const std::uint32_t item : split.train) {
    least = std::min(least, position_of(manifest.utterances[item], options.seed));
  }
  return std::min(1.0, std::floor(least * 100.0 + 1.0) / 100.0);
}

}  // namespace

SplitRule rule_of(const Manifest& manifest, const SplitOptions& options) {
  return {.by = is_divided_by_files(manifest) ? SplitRule::By::files : SplitRule::By::hash,
          .val_fraction = options.val_fraction,
          .seed = options.seed};
}

DatasetSplit split_dataset(const Manifest& manifest,
                           std::span<const std::uint32_t> items,
                           const SplitOptions& options) {
  const SplitRule rule = rule_of(manifest, options);
  const bool counts = !options.earlier_is_guess || rule.by != SplitRule::By::files;
  DatasetSplit split;
  for (const std::uint32_t item : items) {
    const Utterance& utterance = manifest.utterances[item];
    const bool is_chosen = is_validated_by(utterance, rule);
    const bool was_trained =
        counts && !std::ranges::all_of(options.earlier, [&utterance](const SplitRule& earlier) {
          return is_validated_by(utterance, earlier);
        });
    (is_chosen && !was_trained ? split.validation : split.train).push_back(item);
    split.kept += is_chosen && was_trained ? 1 : 0;
  }
  return split;
}

std::optional<Message> why_unusable(const Manifest& manifest, const DatasetSplit& split) {
  if (!split.train.empty()) {
    return std::nullopt;
  }
  return msg::set_none_to_train{.folder = manifest.root.string(),
                                .utterances = split.validation.size()};
}

std::optional<Message> why_without_validation(const Manifest& manifest,
                                              const DatasetSplit& split,
                                              const SplitOptions& options) {
  if (!split.validation.empty() || options.val_fraction <= 0) {
    return std::nullopt;
  }
  const Message what =
      msg::set_none_to_validate{.folder = manifest.root.string(), .utterances = split.train.size()};
  if (is_divided_by_files(manifest)) {
    return msg::set_expected_rows{.what = what, .manifest = "metadata_eval.csv"};
  }
  if (split.train.size() < 2) {
    return msg::set_try_val_data{.what = what};
  }
  return msg::set_try_val_split{.what = what,
                                .fraction = plain(least_fraction(manifest, split, options), 2)};
}

}  // namespace qanat
