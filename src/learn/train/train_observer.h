// Callbacks of a trainer. Called from the thread that trains, between two steps;
// on_note() from any thread. Must not block.
#pragma once

#include <cstdint>

#include "base/message.h"
#include "metrics/journal_event.h"
#include "metrics/step_record.h"
#include "train/train_progress.h"

namespace qanat {

class TrainObserver {
 public:
  virtual ~TrainObserver() = default;

  virtual void on_note(const MessageArg& /*note*/) {}
  virtual void on_step(const StepRecord& /*record*/) {}
  // `progress` has the best score so far, this one included.
  virtual void on_validation(const ValidationDone&, const TrainProgress& /*progress*/) {}
  virtual void on_save(std::int64_t /*step*/) {}
};

}  // namespace qanat
