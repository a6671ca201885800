#include "pipeline/plan_sequence.h"

#include <utility>

#include "base/check.h"

namespace qanat {

PlanSequence::PlanSequence(SharedPlan first,
                           std::int64_t index,
                           std::optional<std::int64_t> end_epoch)
    : plan_(std::move(first)), index_(index), end_epoch_(end_epoch) {}

bool PlanSequence::is_last_epoch() const {
  return end_epoch_ && plan_->epoch() + 1 >= *end_epoch_;
}

bool PlanSequence::at_end() const {
  return is_exhausted() && is_last_epoch();
}

bool PlanSequence::is_ready() const {
  return !is_exhausted() || next_ != nullptr;
}

PlannedBatch PlanSequence::take() {
  if (is_exhausted()) {
    QANAT_CHECK(next_ != nullptr);
    plan_ = std::exchange(next_, nullptr);
    index_ = 0;
  }
  return {.plan = plan_, .index = index_++};
}

std::optional<std::int64_t> PlanSequence::wanted() {
  if (being_made_ || next_ != nullptr || is_last_epoch()) {
    return std::nullopt;
  }
  being_made_ = true;
  return plan_->epoch() + 1;
}

void PlanSequence::provide(SharedPlan plan) {
  being_made_ = false;
  next_ = std::move(plan);
}

}  // namespace qanat
