// Handles losses and gradients that are not finite: counts the skipped steps, and ends the run with
// an explanation after too many in a row.
//
// Not thread-safe. The device itself skips the update (train/optimiser.h).
#pragma once

#include <cstdint>

#include "metrics/journal.h"
#include "train/train_step.h"

namespace qanat {

class DivergenceGuard {
 public:
  // `max_skipped` in a row are survived. `journal` may be absent; it is not owned.
  DivergenceGuard(std::int64_t max_skipped, EventSink* journal)
      : max_skipped_(max_skipped), journal_(journal) {}

  // After every step, in order. Throws Error when the run should end: a part that learns nothing
  // any more is a reason, too.
  void observe(const FinishedStep& step);

  std::int64_t skipped() const { return skipped_; }    // in all
  std::int64_t in_a_row() const { return in_a_row_; }  // those of one part included
  // Continues the counts of an interrupted run.
  void resume(std::int64_t skipped, std::int64_t in_a_row) {
    skipped_ = skipped;
    in_a_row_ = in_a_row;
  }

 private:
  const std::int64_t max_skipped_;
  EventSink* journal_;
  std::int64_t skipped_ = 0;
  std::int64_t in_a_row_ = 0;
};

}  // namespace qanat
