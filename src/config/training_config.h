// Section `training`: how long, how fast, from where and to where.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "config/field.h"

namespace qanat {

// What makes a validation the best so far.
enum class BestBy { free_running, loss };

template <>
inline constexpr std::array kChoices<BestBy> = {Choice{"free_running", BestBy::free_running},
                                                Choice{"loss", BestBy::loss}};

struct TrainingConfig {
  std::optional<int> epochs;
  std::optional<std::int64_t> max_steps;
  int gradient_accumulation_steps = 1;
  std::optional<double> learning_rate;
  std::optional<std::int64_t> warmup_steps;
  double weight_decay = 0.01;
  double gradient_clip = 1.0;
  double ema_decay = 0.999;
  std::optional<std::int64_t> binarisation_start;  // steps
  std::int64_t max_skipped_steps = 20;
  std::int64_t seed = 0;
  std::string checkpoint_dir = "checkpoints";
  std::int64_t save_every = 500;  // steps
  int keep_checkpoints = 3;
  bool resume = false;
  bool reset_training = false;
  bool reset_schedule = false;
  std::int64_t validate_every = 500;  // steps
  int validation_batches = 8;
  BestBy best_by = BestBy::free_running;
  std::optional<int> early_stopping_patience;  // validations
  std::int64_t render_every = 1000;            // steps
  std::optional<std::string> evaluation_sentences;
  std::optional<std::int64_t> log_every;  // steps
  bool tensorboard = false;
  std::optional<std::string> tensorboard_dir;
  bool overfit_one_batch = false;
  std::optional<bool> mixed_precision;
  std::optional<bool> enable_graph_mode;
  bool enable_xla_compilation = false;
  bool enable_eager_debug = false;

  bool operator==(const TrainingConfig&) const = default;
};

// After how many passes over the data a run ends, unless max_steps or something else ends it
// first: as configured, else 500; nothing when only max_steps was configured.
inline std::optional<std::int64_t> num_epochs(const TrainingConfig& training) {
  constexpr std::int64_t kDefaultEpochs = 500;
  if (training.epochs) {
    return *training.epochs;
  }
  return training.max_steps ? std::nullopt : std::optional(kDefaultEpochs);
}

}  // namespace qanat
