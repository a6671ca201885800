// Decides what becomes of a run whose loss or gradient is no longer finite: the step is skipped,
// and after too many of them in a row the run ends with an explanation.
//
// Not thread-safe. The update itself is left out on the device (train/optimiser.h); this counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/journal.h"
#include "metrics/step_record.h"

namespace qanat {

class DivergenceGuard {
 public:
  // `max_skipped` in a row are survived. `journal` may be absent; it is not owned.
  DivergenceGuard(std::int64_t max_skipped, EventSink* journal)
      : max_skipped_(max_skipped), journal_(journal) {}

  // After every step, in order. `items` are the utterances it was made of, for the journal. Throws
  // Error when the run should end.
  void observe(const StepRecord& record, const std::vector<std::uint32_t>& items);

  std::int64_t skipped() const { return skipped_; }  // in all
  std::int64_t in_a_row() const { return in_a_row_; }
  // Goes on counting where a run that was interrupted stood.
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
