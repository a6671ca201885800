// Callbacks of a trainer. Called from the thread that trains, between two steps;
// on_note() from any thread. Must not block.
#pragma once

#include <cstdint>

#include "base/message.h"
#include "metrics/step_record.h"
#include "metrics/validation_result.h"

namespace qanat {

class TrainObserver {
 public:
  virtual ~TrainObserver() = default;

  virtual void on_note(const MessageArg& /*note*/) {}
  virtual void on_step(const StepRecord& /*record*/) {}
  virtual void on_validation(std::int64_t /*step*/, const ValidationResult&, bool /*best*/) {}
  virtual void on_save(std::int64_t /*step*/) {}
};

}  // namespace qanat
