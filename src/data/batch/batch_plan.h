// Which utterances, in which padded shape, in which order: an epoch's batches, before anything
// is decoded.
//
// plan_epoch() is a pure function, so order depends on neither workers nor ranks, and the state
// of a loader is two integers. One million utterances plan in well under a second.
//
// The ranks of a run share every batch of the plan: each takes an equal part of its rows. So they
// are equally busy, have equally many batches, and a position means the same to any number of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "batch/bucket_edges.h"

namespace qanat {

// What becomes of the utterances that are left when no full batch is.
enum class LastBatch { kept, dropped };

struct PlanRequest {
  std::span<const ItemLength> lengths;  // of every utterance; item numbers are positions in it
  std::span<const int> speakers{};      // of every utterance, from 0; none: all are of one speaker
  // How often each utterance comes (times_in_epoch). None: each once. Only where all edges
  // have as many rows, as otherwise epochs would not be equally long.
  std::span<const double> weights{};
  LastBatch last = LastBatch::kept;
  std::span<const BucketEdge> edges;  // from choose_edges() of the same lengths and batching
  BatchingConfig batching{};          // of the batches that all ranks share
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  int rank = 0;  // this process takes part `rank` of `world` of every batch
  int world = 1;
};

// The part of a rank in one batch of the plan. `items` points into the plan.
struct BatchSpec {
  std::span<const std::uint32_t> items;  // one per row
  BatchShape shape;
  int bucket = 0;     // position of the edge the batch was cut for
  int first_row = 0;  // of the rows of all ranks
  int full_rows = 0;  // of this rank in a full batch of the bucket
};

// A batch that is divided into parts: among ranks, or into microbatches, which then round alike.
struct RowParts {
  std::uint64_t rows = 0;
  std::uint64_t full = 0;  // rows of a full batch
  std::uint64_t parts = 1;

  // Where a part begins, for `part` from 0 to `parts`; they differ by one row. Pairs stay together
  // where every part of a full batch has an even number of rows; then they differ by two.
  std::uint64_t begin(std::uint64_t part) const;
};

// Immutable after plan_epoch(); safe to read from any thread.
class BatchPlan {
 public:
  std::int64_t size() const { return static_cast<std::int64_t>(batches_.size()); }
  std::int64_t epoch() const { return epoch_; }
  BatchSpec batch(std::int64_t index) const;  // O(1)
  // Counts the items of all ranks.
  std::int64_t num_items() const { return static_cast<std::int64_t>(items_.size()); }

 private:
  struct Planned {
    std::uint32_t first = 0;  // into items_
    std::uint32_t rows = 0;
    std::uint32_t frames = 0;
    std::uint32_t tokens = 0;
    std::uint32_t bucket = 0;
    std::uint32_t rows_before = 0;  // of lower ranks in the same batch
    std::uint32_t full_rows = 0;
  };
  friend class EpochPlanner;
  friend class Substitutes;

  const Planned& planned(std::int64_t index) const;

  std::uint64_t seed_ = 0;
  std::int64_t epoch_ = 0;
  std::vector<std::uint32_t> items_;        // by bucket, shuffled inside
  std::vector<std::uint32_t> bucket_ends_;  // into items_: where each bucket's batches end
  std::vector<Planned> batches_;            // in their order: this rank's part of each
};

// The utterances to try in turn when the planned one of a row failed: first some of the same
// bucket, then some of each smaller one and of the larger ones, then more of each. All fit the
// batch's shape, and none repeats. The sequence depends only on (seed, epoch, index) and the row
// among those of all ranks.
class Substitutes {
 public:
  // `lengths` are those of the plan's request. Both outlive this.
  Substitutes(const BatchPlan& plan,
              std::span<const ItemLength> lengths,
              std::int64_t index,
              int row);

  std::optional<std::uint32_t> next();  // nullopt when none is left

 private:
  // A part of items_ that is walked once, in a circle.
  struct Walk {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t start = 0;  // in the part
    std::uint32_t steps = 0;  // taken so far
  };

  std::optional<std::uint32_t> step(Walk& walk) const;

  const BatchPlan& plan_;
  const std::span<const ItemLength> lengths_;
  const BatchShape shape_;
  const std::uint32_t failed_;
  std::vector<Walk> walks_;  // in the order in which buckets are tried
  std::size_t walk_ = 0;
  int in_turn_ = 0;  // candidates the current walk has given in its turn
};

// Cuts each bucket, shuffled, into full batches; the rows left over are carried up into the next
// larger bucket, so that only the last batch is short; one of less than half the rows shares them
// with the full batch before it. Then the batches are shuffled. Utterances of a speaker are brought
// together in pairs before the cut: each is the reference of the other. In a batch the pairs come
// first, so each begins at an even row. With one speaker, or in the order of the data set, nothing
// is moved.
//
// With LastBatch::dropped there is no short batch, unless it is the only one. Where all edges have
// as many rows, chance says which utterances the epoch is without, whatever their length; otherwise
// it is without the last batch.
//
// All of this depends on (seed, epoch) only. Rank r of w then takes the part from r/w to (r+1)/w of
// the rows of each batch: parts differ by one row, or by two in a short batch, which is cut between
// the pairs where every rank has an even share of a full one. None is without rows, and together
// they have each utterance exactly once. Rows repeat only in a batch with fewer rows than ranks:
// never while there are no more ranks than half the rows of a full batch.
BatchPlan plan_epoch(const PlanRequest& request);

// The share of padding among the frames of an epoch whose batches are cut for at most `max_edges`
// shapes, and are like `batching` otherwise. Of very many utterances some stand for all.
double planned_padding(std::span<const ItemLength> lengths, BatchingConfig batching, int max_edges);

// The most that one of `world` ranks gets of a batch, by bucket.
BucketEdges edges_of_a_rank(BucketEdges edges, int world);

// Shared by the sequence and the batches being filled: an epoch's last batches outlive its turn.
using SharedPlan = std::shared_ptr<const BatchPlan>;

struct PlannedBatch {
  SharedPlan plan;
  std::int64_t index = 0;

  BatchSpec spec() const { return plan->batch(index); }
  bool is_last_of_epoch() const { return index + 1 == plan->size(); }
};

// The plans of successive epochs; the next one is made ahead, so that the end of an epoch does not
// pause the loader.
//
// Not thread-safe: guarded by the lock of its owner. Making a plan takes time, so the caller of
// wanted() makes it without that lock and returns it with provide().
class PlanSequence {
 public:
  // Starts at batch `index` of `first`; ends before `end_epoch`, if there is one.
  PlanSequence(SharedPlan first, std::int64_t index, std::optional<std::int64_t> end_epoch);

  bool at_end() const;    // no batch is left
  bool is_ready() const;  // take() may be called now
  PlannedBatch take();    // the next batch

  // The epoch whose plan the caller is to make now; nullopt when there is nothing to make or
  // somebody else was told already.
  std::optional<std::int64_t> wanted();
  void provide(SharedPlan plan);

 private:
  bool is_last_epoch() const;
  bool is_exhausted() const { return index_ == plan_->size(); }

  SharedPlan plan_;
  SharedPlan next_;
  std::int64_t index_;
  std::optional<std::int64_t> end_epoch_;
  bool being_made_ = false;
};

}  // namespace qanat
