#include "app/plan_fingerprint.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/content_hash.h"
#include "batch/batch_plan.h"
#include "pipeline/audio_row_source.h"

namespace qanat {
namespace {

void add_utterance(ContentHasher& hasher, const Utterance& utterance, const ItemLength& length) {
  hasher.add(utterance.id).add(utterance.speaker).add(length.frames).add(length.tokens);
  if (utterance.kept) {
    hasher.add(utterance.kept->from.count()).add(utterance.kept->to.count());
  }
}

}  // namespace

std::uint64_t plan_fingerprint(const UtteranceSet& set,
                               const MelConfig& mel,
                               const LoaderOptions& options,
                               const std::optional<SegmentOptions>& segment,
                               std::span<const double> weights) {
  const BatchingConfig batching = shared_batching(options);
  ContentHasher hasher;
  hasher.add(options.seed)
      .add(1)  // where the number of processes was, which the plan no longer depends on
      .add(batching.batch_size)
      .add(batching.max_edges)
      .add(batching.min_frames)
      .add(batching.max_frames)
      .add(batching.max_tokens)
      .add(batching.token_multiple)
      .add(batching.frame_budget.value_or(0))
      .add(static_cast<int>(batching.shapes))
      .add(static_cast<int>(batching.order));
  const std::vector<ItemLength> lengths = item_lengths(set.index, mel);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    add_utterance(hasher, set.manifest.utterances[i], lengths[i]);
  }
  if (segment) {
    hasher.add(segment->frames).add(segment->seed);
    if (segment->step != 1) {  // plans of before do not know it
      hasher.add(segment->step);
    }
  }
  // Plans of before know neither of them.
  if (options.last == LastBatch::dropped) {
    hasher.add("without the last");
  }
  for (const double weight : weights) {
    hasher.add(weight);
  }
  return hasher.value();
}

std::uint64_t validation_fingerprint(const UtteranceSet& set,
                                     const MelConfig& mel,
                                     const LoaderOptions& options,
                                     std::int64_t batches) {
  const std::vector<ItemLength> lengths = item_lengths(set.index, mel);
  const BatchingConfig batching = shared_batching(options);
  const BucketEdges edges = choose_edges(lengths, batching);
  const BatchPlan plan =
      plan_epoch({.lengths = lengths, .edges = edges, .batching = batching, .seed = options.seed});
  std::vector<std::uint32_t> items;
  for (std::int64_t index = 0; index < std::min(batches, plan.size()); ++index) {
    const BatchSpec batch = plan.batch(index);
    items.insert(items.end(), batch.items.begin(), batch.items.end());
  }
  std::ranges::sort(items);
  ContentHasher hasher;
  for (const std::uint32_t item : items) {
    add_utterance(hasher, set.manifest.utterances[item], lengths[item]);
  }
  return hasher.value();
}

std::uint64_t clips_fingerprint(const UtteranceSet& set, const MelConfig& mel, std::size_t count) {
  const std::vector<ItemLength> lengths = item_lengths(set.index, mel);
  ContentHasher hasher;
  for (std::size_t item = 0; item < count; ++item) {
    add_utterance(hasher, set.manifest.utterances[item], lengths[item]);
  }
  return hasher.value();
}

}  // namespace qanat
