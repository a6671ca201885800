// What a validation found. Values; no libtorch.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "config/training_config.h"
#include "metrics/step_record.h"

namespace qanat {

struct FreeRunning {
  int utterances = 0;
  double mel_distance = 0;  // nats; warped_distance() to the recording
  double length_error = 0;  // mean of |frames / recorded frames - 1|
};

struct ValidationResult {
  std::int64_t utterances = 0;
  std::int64_t frames = 0;
  StepLosses losses;  // teacher-forced; binarisation is not part of the total
  std::optional<FreeRunning> free_running;

  // Smaller is better. Speech of another length than the recording is that much further from it.
  double score(BestBy by) const {
    return by == BestBy::free_running && free_running
               ? free_running->mel_distance * (1 + free_running->length_error)
               : losses.total;
  }
};

nlohmann::json to_json(const ValidationResult& result);

}  // namespace qanat
