// The small static set of shapes that batches are padded to, chosen once per data set.
//
// Pure functions, no state: the same lengths and configuration give the same edges everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace qanat {

// How long an utterance is once it is features. An utterance that is known to be unusable has
// zero frames: no plan contains it.
struct ItemLength {
  std::uint32_t frames = 0;
  std::uint32_t tokens = 0;

  bool operator==(const ItemLength&) const = default;
};

// The padded shape of a batch.
struct BatchShape {
  int rows = 0;
  int frames = 0;
  int tokens = 0;

  bool operator==(const BatchShape&) const = default;
};

enum class ShapePolicy {
  static_edges,  // every batch of a bucket has the bucket's shape
  per_batch,     // buckets sort by length, but a batch is only as long as its longest row
};

enum class ItemOrder {
  shuffled,   // differently in every epoch: utterances inside their bucket, and the batches
  by_length,  // the same in every epoch: from the shortest bucket to the longest, as listed inside
};

struct BatchingConfig {
  int batch_size = 16;     // rows of a batch
  int max_edges = 16;      // at most that many shapes; 1 = the fixed shape max_frames x max_tokens
  int min_frames = 2;      // shorter utterances are refused
  int max_frames = 1024;   // longer utterances are refused, not cut
  int max_tokens = 200;    // as max_frames
  int token_multiple = 8;  // token edges are rounded up to it
  // Padded frames a batch may have: short buckets get more rows, long ones fewer, batch_size is
  // ignored. Absent: every bucket has batch_size rows.
  std::optional<std::int64_t> frame_budget = std::nullopt;
  ShapePolicy shapes = ShapePolicy::static_edges;
  ItemOrder order = ItemOrder::shuffled;

  bool operator==(const BatchingConfig&) const = default;
};

// An utterance goes into the first bucket with frames >= its own. `tokens` is enough for every
// utterance of this and the smaller buckets, because rows may be carried up (plan_epoch).
struct BucketEdge {
  int frames = 0;
  int tokens = 0;
  int rows = 0;  // of a full batch; no more than there are utterances

  BatchShape shape() const { return {.rows = rows, .frames = frames, .tokens = tokens}; }
  bool operator==(const BucketEdge&) const = default;
};

using BucketEdges = std::vector<BucketEdge>;  // ascending in frames

// Whether a plan may contain an utterance of this length.
bool is_usable(ItemLength length, const BatchingConfig& config);

// The edges with the fewest padded frames, by dynamic programming over the length histogram. Empty
// when no utterance is usable. Throws Error on an invalid config.
BucketEdges choose_edges(std::span<const ItemLength> lengths, const BatchingConfig& config);

}  // namespace qanat
