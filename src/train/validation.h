// How well the averaged weights do on utterances that are not trained on: following the recording
// (teacher-forced), and speaking on their own (free-running), which is what users hear.
#pragma once

#include <vector>

#include "batch/batch.h"
#include "device/device.h"
#include "train/trained_model.h"
#include "train/validation_result.h"

namespace qanat {

class Validator {
 public:
  // Keeps the batches, whose payload is mel. At most `max_free_running` utterances are spoken.
  Validator(std::vector<Batch> batches, int max_free_running);

  bool is_empty() const { return batches_.empty(); }
  // As work of `stream`, which the model belongs to; waits for it.
  ValidationResult run(TrainedModel& model, DeviceStream& stream) const;

 private:
  std::vector<Batch> batches_;
  int max_free_running_;
};

}  // namespace qanat
