#include "train/divergence_guard.h"

#include "locale/message_error.h"
#include "locale/messages/training.h"

namespace qanat {

void DivergenceGuard::observe(const FinishedStep& step) {
  const StepRecord& record = step.record;
  if (step.updated_all && !record.skipped) {
    in_a_row_ = 0;
    return;
  }
  skipped_ += record.skipped ? 1 : 0;
  ++in_a_row_;
  if (journal_ != nullptr && record.skipped) {
    journal_->record(SkippedStep{.step = record.step,
                                 .epoch = record.epoch,
                                 .batch = record.batch,
                                 .items = step.items,
                                 .in_a_row = in_a_row_});
  }
  if (in_a_row_ > max_skipped_) {
    throw MessageError(msg::train_diverged{.steps = in_a_row_,
                                           .step = record.step,
                                           .epoch = record.epoch,
                                           .batch = record.batch,
                                           .rate = fmt::format("{:.1e}", record.learning_rate)});
  }
}

}  // namespace qanat
