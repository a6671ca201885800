#include "dataset/training_sets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "dataset/data_view.h"
#include "dataset/index_cache.h"
#include "locale/message_error.h"
#include "locale/messages/charts.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/units.h"

namespace qanat {
namespace {

double seconds_of(SampleCount samples, const LengthLimits& limits) {
  return static_cast<double>(samples.value) / static_cast<double>(limits.rate.value);
}

// "1205": compared, not read aloud, so not grouped.
template <typename Tag>
Quantity bare(Counted<Tag> count) {
  return plain(static_cast<double>(count.value), 0);
}

struct Refusal {
  ProblemKind kind;
  Message detail;
};

std::optional<Refusal> refusal(const IndexEntry& entry, const LengthLimits& limits) {
  const FrameCount frames = frames_of(entry.samples, limits);
  if (entry.tokens > limits.max_tokens) {
    return Refusal{
        ProblemKind::text_too_long,
        msg::seen_long_text{.tokens = bare(entry.tokens), .limit = bare(limits.max_tokens)}};
  }
  if (frames > limits.max_frames) {
    return Refusal{ProblemKind::audio_too_long,
                   msg::seen_long_audio{.seconds = plain(seconds_of(entry.samples, limits), 2),
                                        .frames = bare(frames),
                                        .limit = bare(limits.max_frames)}};
  }
  if (entry.samples < limits.min_samples || frames.value == 0) {
    return Refusal{
        ProblemKind::audio_too_short,
        msg::seen_short_audio{.seconds = plain(seconds_of(entry.samples, limits), 3),
                              .limit = plain(seconds_of(limits.min_samples, limits), 3)}};
  }
  if (entry.tokens.value > frames.value) {
    return Refusal{
        ProblemKind::more_tokens_than_frames,
        msg::seen_tokens_and_frames{.tokens = bare(entry.tokens), .frames = bare(frames)}};
  }
  return std::nullopt;
}

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

// A manifest with its index, and what of it can be used.
struct MeasuredSet {
  Manifest manifest;
  DatasetIndex index;
  Partition parts;
};

void list_dropped(Manifest& manifest, const Partition& parts) {
  for (const DroppedItem& dropped : parts.dropped) {
    const Utterance& utterance = manifest.utterances[dropped.item];
    manifest.problems.push_back({.kind = dropped.kind,
                                 .source = utterance.source,
                                 .line = utterance.line,
                                 .id = utterance.id,
                                 .audio = utterance.audio,
                                 .detail = dropped.detail});
  }
  std::ranges::stable_sort(manifest.problems, {}, [](const DatasetProblem& problem) {
    return std::pair(problem.source, problem.line);
  });
}

std::optional<MeasuredSet> measure_rows(Manifest manifest,
                                        const TrainingSetOptions& options,
                                        const IndexSources& sources) {
  std::vector<MessageArg> notes;
  if (options.view) {
    notes = apply_view(*options.view, manifest);
  }
  std::optional<DatasetIndex> index = build_index(manifest, sources, options.index);
  if (!index) {
    return std::nullopt;
  }
  trim_lengths(manifest, options.limits.rate, *index);
  std::ranges::move(notes, std::back_inserter(index->origin.notes));
  Partition parts = partition(*index, options.limits);
  if (parts.usable.empty()) {
    throw MessageError(msg::set_none_of{.folder = manifest.root.string(),
                                        .utterances = manifest.utterances.size(),
                                        .kinds = summary(parts)});
  }
  list_dropped(manifest, parts);
  return MeasuredSet{std::move(manifest), std::move(*index), std::move(parts)};
}

std::optional<MeasuredSet> measure_set(const std::filesystem::path& data,
                                       const TrainingSetOptions& options,
                                       const IndexSources& sources) {
  Manifest manifest = read_manifest({.data = data,
                                     .language = options.language,
                                     .text = options.text,
                                     .columns = options.columns,
                                     .store = options.store});
  TrainingSetOptions cached = options;
  if (cached.index.cache_folders.empty()) {
    cached.index.cache_folders = index_cache_folders(manifest.root);
  }
  return measure_rows(std::move(manifest), cached, sources);
}

// Takes the items out of the set; each item may be taken once.
UtteranceSet take(MeasuredSet& set, std::span<const std::uint32_t> items) {
  UtteranceSet taken{.manifest = {.root = set.manifest.root,
                                  .sources = set.manifest.sources,
                                  .num_rows = set.manifest.num_rows,
                                  .content_hash = set.manifest.content_hash,
                                  .containers = set.manifest.containers,
                                  .ahead = set.manifest.ahead},
                     .index = select(set.index, items)};
  taken.index.origin = set.index.origin;
  taken.manifest.utterances.reserve(items.size());
  for (const std::uint32_t item : items) {
    taken.manifest.utterances.push_back(std::move(set.manifest.utterances[item]));
  }
  return taken;
}

UtteranceSet take_with_problems(MeasuredSet& set, std::span<const std::uint32_t> items) {
  UtteranceSet taken = take(set, items);
  taken.manifest.problems = std::move(set.manifest.problems);
  return taken;
}

bool is_marked(const Manifest& manifest) {
  return rule_of(manifest, {}).by == SplitRule::By::files;
}

// With a separate validation set, the training set provides every row that is not marked for
// validation, and vice versa; a set without marks is used completely.
std::vector<std::uint32_t> items_for(SplitHint purpose, const MeasuredSet& set) {
  const bool marked = is_marked(set.manifest);
  std::vector<std::uint32_t> items;
  std::ranges::copy_if(set.parts.usable, std::back_inserter(items), [&](std::uint32_t item) {
    const bool validates = set.manifest.utterances[item].split == SplitHint::validation;
    return !marked || validates == (purpose == SplitHint::validation);
  });
  if (items.empty()) {
    const bool validates = purpose == SplitHint::validation;
    throw MessageError(msg::set_none_for{
        .folder = set.manifest.root.string(),
        .purpose = validates ? MessageArg(msg::chart_validation{}) : msg::chart_training{},
        .manifest = validates ? "metadata_eval.csv" : "metadata_train.csv"});
  }
  return items;
}

bool is_same_set(const TrainingSetOptions& options) {
  std::error_code error;
  return !options.val_data || options.train_data == *options.val_data ||
         std::filesystem::equivalent(options.train_data, *options.val_data, error);
}

// Everything usable, whatever it is for.
std::optional<UtteranceSet> whole(std::optional<MeasuredSet> set) {
  if (!set) {
    return std::nullopt;
  }
  const std::vector<std::uint32_t> items = set->parts.usable;
  return take_with_problems(*set, items);
}

TrainingSets divide(MeasuredSet set, const SplitOptions& options) {
  const DatasetSplit split = split_dataset(set.manifest, set.parts.usable, options);
  if (const auto why = why_unusable(set.manifest, split)) {
    throw MessageError(*why);
  }
  TrainingSets sets{.note = why_without_validation(set.manifest, split, options),
                    .rule = rule_of(set.manifest, options),
                    .kept = split.kept};
  if (!split.validation.empty()) {
    sets.validation = take(set, split.validation);
  }
  sets.train = take_with_problems(set, split.train);
  return sets;
}

}  // namespace

FrameCount frames_of(SampleCount samples, const LengthLimits& limits) {
  return FrameCount{samples.value / limits.hop};
}

Partition partition(const DatasetIndex& index, const LengthLimits& limits) {
  Partition parts;
  auto failure = index.failures.begin();
  for (std::uint32_t i = 0; i < index.entries.size(); ++i) {
    const IndexEntry& entry = index.entries[i];
    if (!entry.usable) {
      while (failure != index.failures.end() && failure->item < i) {
        ++failure;
      }
      const bool is_known = failure != index.failures.end() && failure->item == i;
      parts.dropped.push_back(
          is_known ? DroppedItem{i, failure->kind, failure->reason}
                   : DroppedItem{i, ProblemKind::unreadable_audio, msg::number_unknown{}});
    } else if (std::optional<Refusal> refused = refusal(entry, limits)) {
      parts.dropped.push_back({i, refused->kind, std::move(refused->detail)});
    } else {
      parts.usable.push_back(i);
    }
  }
  return parts;
}

std::string summary(const Partition& partition) {
  std::array<std::int64_t, kNumProblemKinds> counts{};
  for (const DroppedItem& dropped : partition.dropped) {
    ++counts[static_cast<std::size_t>(dropped.kind)];
  }
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) {
      text += fmt::format(
          "{}{} {}", text.empty() ? "" : ", ", counts[i], to_string(static_cast<ProblemKind>(i)));
    }
  }
  return text;
}

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

std::optional<TrainingSets> load_training_sets(const TrainingSetOptions& options,
                                               const IndexSources& sources) {
  std::optional<MeasuredSet> train = measure_set(options.train_data, options, sources);
  if (!train) {
    return std::nullopt;
  }
  if (is_same_set(options)) {
    return divide(*std::move(train), options.split);
  }
  TrainingSetOptions separate = options;
  separate.view.reset();  // it names rows of the other folder
  std::optional<MeasuredSet> validation = measure_set(*options.val_data, separate, sources);
  if (!validation) {
    return std::nullopt;
  }
  const SplitRule rule{.by = is_marked(train->manifest) ? SplitRule::By::files
                                                        : SplitRule::By::nothing};
  return TrainingSets{
      .train = take_with_problems(*train, items_for(SplitHint::train, *train)),
      .validation = take_with_problems(*validation, items_for(SplitHint::validation, *validation)),
      .rule = rule};
}

std::optional<UtteranceSet> load_utterance_set(const std::filesystem::path& data,
                                               const TrainingSetOptions& options,
                                               const IndexSources& sources) {
  return whole(measure_set(data, options, sources));
}

std::optional<TrainingSets> divide_manifest(Manifest manifest,
                                            const TrainingSetOptions& options,
                                            const IndexSources& sources) {
  std::optional<MeasuredSet> set = measure_rows(std::move(manifest), options, sources);
  return set ? std::optional(divide(*std::move(set), options.split)) : std::nullopt;
}

std::optional<UtteranceSet> measure_manifest(Manifest manifest,
                                             const TrainingSetOptions& options,
                                             const IndexSources& sources) {
  return whole(measure_rows(std::move(manifest), options, sources));
}

}  // namespace qanat
