#include "dataset/training_sets.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "dataset/index_cache.h"
#include "locale/message_error.h"
#include "locale/messages.h"

namespace qanat {
namespace {

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

std::optional<MeasuredSet> measure_set(const std::filesystem::path& data,
                                       const TrainingSetOptions& options,
                                       const IndexSources& sources) {
  Manifest manifest = read_manifest({.data = data, .language = options.language});
  IndexOptions index_options = options.index;
  if (index_options.cache_folders.empty()) {
    index_options.cache_folders = index_cache_folders(manifest.root);
  }
  std::optional<DatasetIndex> index = build_index(manifest, sources, index_options);
  if (!index) {
    return std::nullopt;
  }
  Partition parts = partition(*index, options.limits);
  if (parts.usable.empty()) {
    throw Error("{}: none of {} utterances can be used: {}",
                manifest.root.string(),
                manifest.utterances.size(),
                summary(parts));
  }
  list_dropped(manifest, parts);
  return MeasuredSet{std::move(manifest), std::move(*index), std::move(parts)};
}

// Takes the items out of the set; each item may be taken once.
UtteranceSet take(MeasuredSet& set, std::span<const std::uint32_t> items) {
  UtteranceSet taken{.manifest = {.root = set.manifest.root,
                                  .sources = set.manifest.sources,
                                  .num_rows = set.manifest.num_rows,
                                  .content_hash = set.manifest.content_hash},
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
  return !options.val_data ||
         std::filesystem::equivalent(options.train_data, *options.val_data, error);
}

}  // namespace

std::optional<TrainingSets> load_training_sets(const TrainingSetOptions& options,
                                               const IndexSources& sources) {
  std::optional<MeasuredSet> train = measure_set(options.train_data, options, sources);
  if (!train) {
    return std::nullopt;
  }
  if (is_same_set(options)) {
    const DatasetSplit split = split_dataset(train->manifest, train->parts.usable, options.split);
    if (const auto why = why_unusable(train->manifest, split)) {
      throw MessageError(*why);
    }
    TrainingSets sets{.note = why_without_validation(train->manifest, split, options.split),
                      .rule = rule_of(train->manifest, options.split),
                      .kept = split.kept};
    if (!split.validation.empty()) {
      sets.validation = take(*train, split.validation);
    }
    sets.train = take_with_problems(*train, split.train);
    return sets;
  }
  std::optional<MeasuredSet> validation = measure_set(*options.val_data, options, sources);
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
  std::optional<MeasuredSet> set = measure_set(data, options, sources);
  if (!set) {
    return std::nullopt;
  }
  const std::vector<std::uint32_t> items = set->parts.usable;
  return take_with_problems(*set, items);
}

}  // namespace qanat
