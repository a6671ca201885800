// The plans of successive epochs; the next one is made ahead, so that the end of an epoch does not
// pause the loader.
//
// Not thread-safe: guarded by the lock of its owner. Making a plan takes time, so the caller of
// wanted() makes it without that lock and returns it with provide().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "batch/batch_plan.h"

namespace qanat {

// Shared by the sequence and the batches being filled: an epoch's last batches outlive its turn.
using SharedPlan = std::shared_ptr<const BatchPlan>;

struct PlannedBatch {
  SharedPlan plan;
  std::int64_t index = 0;

  BatchSpec spec() const { return plan->batch(index); }
  bool is_last_of_epoch() const { return index + 1 == plan->size(); }
};

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
