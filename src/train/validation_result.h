// What a validation found. Values; no libtorch.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

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

  double score() const { return losses.total; }  // smaller is better
};

nlohmann::json to_json(const ValidationResult& result);

}  // namespace qanat
