// The state of a run besides its tensors: with it in the checkpoint, a resumed run continues as if
// it had never been interrupted. Values; no libtorch.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "pipeline/loader.h"
#include "train/clip_losses.h"

namespace qanat {

struct TrainProgress {
  std::int64_t step = 0;  // updates so far
  Position position;      // the batch that comes next
  std::optional<double> best_score;
  std::int64_t best_step = 0;
  std::int64_t validations_since_best = 0;
  std::optional<LowestLoss> lowest{};  // of the validations, by their loss
  std::int64_t skipped_steps = 0;
  std::int64_t skipped_in_a_row = 0;
  nlohmann::json history = nlohmann::json::array();  // of validations, one object each

  bool operator==(const TrainProgress&) const = default;
};

nlohmann::json to_json(const TrainProgress& progress);
// Fails, naming it, when a field is missing or invalid.
Result<TrainProgress> to_train_progress(const nlohmann::json& json);

// How a validation compares with the lowest before it, clip by clip; keeps it where it is lower.
std::optional<SinceLowest> compare_with_lowest(TrainProgress& progress,
                                               const ValidationResult& result);

// How a run ended.
enum class TrainEnding { max_steps, all_epochs, early_stop, stopped };
const char* to_string(TrainEnding ending);

struct TrainOutcome {
  TrainEnding ending = TrainEnding::all_epochs;
  TrainProgress progress;
  std::int64_t steps = 0;  // of this call
};

}  // namespace qanat
