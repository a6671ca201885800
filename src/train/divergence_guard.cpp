#include "train/divergence_guard.h"

#include "base/error.h"

namespace qanat {

void DivergenceGuard::observe(const StepRecord& record, const std::vector<std::uint32_t>& items) {
  if (!record.skipped) {
    in_a_row_ = 0;
    return;
  }
  ++skipped_;
  ++in_a_row_;
  if (journal_ != nullptr) {
    journal_->record(SkippedStep{.step = record.step,
                                 .epoch = record.epoch,
                                 .batch = record.batch,
                                 .items = items,
                                 .in_a_row = in_a_row_});
  }
  if (in_a_row_ > max_skipped_) {
    throw Error(
        "training diverged: {} steps in a row had a loss or gradient that is not finite, the last "
        "at step {} (epoch {}, batch {}); their utterances are in the journal as skipped_step; try "
        "a lower --lr than {:.1e}, --no-mixed-precision, or --enable-eager-debug to find the "
        "operation",
        in_a_row_,
        record.step,
        record.epoch,
        record.batch,
        record.learning_rate);
  }
}

}  // namespace qanat
