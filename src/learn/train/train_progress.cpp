#include "train/train_progress.h"

#include <cmath>

#include <fmt/format.h>

namespace qanat {

nlohmann::json to_json(const TrainProgress& progress) {
  nlohmann::json best(nullptr);
  if (progress.best_score) {
    best = {{"score", *progress.best_score}, {"step", progress.best_step}};
  }
  nlohmann::json lowest(nullptr);
  if (progress.lowest) {
    lowest = {{"step", progress.lowest->step}, {"clips", progress.lowest->clips}};
  }
  return {{"step", progress.step},
          {"position", {{"epoch", progress.position.epoch}, {"batch", progress.position.batch}}},
          {"best", std::move(best)},
          {"lowest_loss", std::move(lowest)},
          {"validations_since_best", progress.validations_since_best},
          {"skipped_steps", progress.skipped_steps},
          {"skipped_in_a_row", progress.skipped_in_a_row},
          {"history", progress.history}};
}

Result<TrainProgress> to_train_progress(const nlohmann::json& json) {
  TrainProgress progress;
  try {
    const auto count = [](const nlohmann::json& from, const char* name) {
      return static_cast<std::int64_t>(from.at(name).get<std::uint64_t>());
    };
    progress.step = count(json, "step");
    progress.position = {.epoch = count(json.at("position"), "epoch"),
                         .batch = count(json.at("position"), "batch")};
    if (const nlohmann::json& best = json.at("best"); !best.is_null()) {
      progress.best_score = best.at("score").get<double>();
      progress.best_step = count(best, "step");
    }
    // Checkpoints of earlier versions have none.
    if (const nlohmann::json lowest = json.value("lowest_loss", nlohmann::json());
        !lowest.is_null()) {
      progress.lowest = LowestLoss{.step = count(lowest, "step"),
                                   .clips = lowest.at("clips").get<std::vector<double>>()};
    }
    progress.validations_since_best = count(json, "validations_since_best");
    progress.skipped_steps = count(json, "skipped_steps");
    progress.skipped_in_a_row = count(json, "skipped_in_a_row");
    progress.history = json.at("history");
  } catch (const nlohmann::json::exception& error) {
    return Failure{fmt::format("progress of the run: {}", error.what())};
  }
  if (progress.step < 0 || progress.position.epoch < 0 || progress.position.batch < 0 ||
      !progress.history.is_array()) {
    return Failure{"progress of the run: negative counts, or a history that is no list"};
  }
  return progress;
}

std::optional<SinceLowest> compare_with_lowest(TrainProgress& progress,
                                               const ValidationResult& result) {
  std::optional<SinceLowest> since;
  if (progress.lowest) {
    since = compare_clips(*progress.lowest, result.clip_losses);
  }
  const bool is_lower = since ? since->change < 0 : std::isfinite(result.losses.total);
  if (is_lower && !result.clip_losses.empty()) {
    progress.lowest = LowestLoss{.step = progress.step, .clips = result.clip_losses};
  }
  return since;
}

}  // namespace qanat
