// Which utterances, in which padded shape, in which order: an epoch's batches, before anything
// is decoded.
//
// plan_epoch() is a pure function, so order depends on neither workers nor ranks, and the state
// of a loader is two integers. One million utterances plan in well under a second.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "batch/bucket_edges.h"

namespace qanat {

struct PlanRequest {
  std::span<const ItemLength> lengths;  // of every utterance; item numbers are positions in it
  std::span<const int> speakers{};      // of every utterance, from 0; none: all are of one speaker
  std::span<const BucketEdge> edges;    // from choose_edges() of the same lengths
  BatchingConfig batching{};
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  int rank = 0;  // this process takes global batches rank, rank + world, ...
  int world = 1;
};

// One batch of the plan. `items` points into the plan.
struct BatchSpec {
  std::span<const std::uint32_t> items;  // one per row
  BatchShape shape;
  int bucket = 0;  // position of the edge the batch was cut for
};

// Immutable after plan_epoch(); safe to read from any thread.
class BatchPlan {
 public:
  std::int64_t size() const { return steps_; }  // batches of this rank, equal on every rank
  std::int64_t epoch() const { return epoch_; }
  BatchSpec batch(std::int64_t index) const;  // O(1)
  std::int64_t num_items() const { return static_cast<std::int64_t>(items_.size()); }

 private:
  struct Planned {
    std::uint32_t first = 0;  // into items_, or into tail_items_ for the batches of tail_
    std::uint32_t rows = 0;
    std::uint32_t frames = 0;
    std::uint32_t tokens = 0;
    std::uint32_t bucket = 0;
  };
  friend class EpochPlanner;
  friend class Substitutes;

  const Planned& planned(std::int64_t index) const;
  bool is_tail(std::int64_t index) const { return index >= whole_steps_; }

  std::uint64_t seed_ = 0;
  std::int64_t epoch_ = 0;
  int rank_ = 0;
  int world_ = 1;
  std::int64_t steps_ = 0;
  std::int64_t whole_steps_ = 0;            // steps in which every rank has a batch of its own
  std::vector<std::uint32_t> items_;        // by bucket, shuffled inside
  std::vector<std::uint32_t> bucket_ends_;  // into items_: where each bucket's batches end
  std::vector<Planned> batches_;            // global order
  std::vector<std::uint32_t> tail_items_;   // rows of the last, shared step
  std::vector<Planned> tail_;               // one per rank, when the last step is shared
};

// The utterances to try in turn when the planned one of a row failed: first some of the same
// bucket, then some of each smaller one and of the larger ones, then more of each. All fit the
// batch's shape, and none repeats. The sequence depends only on (seed, epoch, rank, world, index,
// row).
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
// larger bucket, so that at most one batch of the epoch is short. Then the batches are shuffled.
// Utterances of a speaker are brought together in pairs before the cut: each is the reference of
// the other. With one speaker, or in the order of the data set, nothing is moved.
//
// The global order depends on (seed, epoch) only. Rank r of w takes the global batches s*w + r.
// When their number is not a multiple of w, the rows of the last step's batches are distributed
// evenly: every rank has the same number of batches, none is empty, and the ranks together have
// each utterance exactly once. Rows repeat only when that step has fewer rows than ranks.
BatchPlan plan_epoch(const PlanRequest& request);

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
