// Section `training`: how long, how fast, from where and to where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/field.h"

namespace qanat {

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

// What an update is.
template <ConstOrNot<TrainingConfig> C, typename Visitor>
void visit_update_fields(C& c, Visitor& visit) {
  visit(field("gradient_accumulation_steps", "batches that make one update")
            .flag("--grad-accum")
            .range(1, 65536),
        c.gradient_accumulation_steps);
  visit(field("learning_rate", "highest learning rate; auto: by model size")
            .flag("--lr")
            .range(1e-12, 10),
        c.learning_rate);
  visit(field("warmup_steps",
              "steps until the highest learning rate; auto: by model size, at most a tenth of the "
              "run")
            .unit("steps")
            .flag("--warmup-steps")
            .range(1, 1e9),
        c.warmup_steps);
  visit(field("weight_decay", "of matrices; vectors are not decayed").range(0, 10), c.weight_decay);
  visit(field("gradient_clip", "largest norm of a gradient; 0: none").range(0, 1e9),
        c.gradient_clip);
  visit(field("ema_decay",
              "of the moving average of weights, which is validated, rendered and spoken with")
            .range(0, 0.9999999),
        c.ema_decay);
  visit(field("binarisation_start",
              "steps before soft and hard alignment are pulled together; auto: by model size")
            .unit("steps")
            .range(0, 1e15),
        c.binarisation_start);
  visit(field("max_skipped_steps",
              "steps in a row whose gradient is not finite that a run survives; none is applied")
            .range(0, 1e9),
        c.max_skipped_steps);
}

// What a run saves, and what can be watched while it runs.
template <ConstOrNot<TrainingConfig> C, typename Visitor>
void visit_record_fields(C& c, Visitor& visit) {
  visit(field("checkpoint_dir", "folder of the checkpoints").flag("--checkpoint-dir"),
        c.checkpoint_dir);
  visit(field("save_every",
              "steps between checkpoints; one more is made at the end; 0: nothing is ever saved")
            .unit("steps")
            .flag("--save-every")
            .range(0, 1e15),
        c.save_every);
  visit(field("keep_checkpoints", "newest checkpoints that are kept; the best one is kept besides")
            .flag("--keep-checkpoints")
            .range(1, 1e6),
        c.keep_checkpoints);
  visit(field("resume",
              "insist on a checkpoint to continue from; without it one is used when there is one")
            .flag("--resume"),
        c.resume);
  visit(
      field("reset_training", "start anew although there are checkpoints").flag("--reset-training"),
      c.reset_training);
  visit(field("reset_schedule",
              "compute the learning rate anew from the length of the run when it resumes; without, "
              "it continues from where it stood")
            .flag("--reset-schedule"),
        c.reset_schedule);
  visit(field("validate_every", "steps between validations")
            .unit("steps")
            .flag("--validate-every")
            .range(1, 1e15),
        c.validate_every);
  visit(field("validation_batches", "most batches of a validation; 0: no validation")
            .unit("batches")
            .range(0, 1e6),
        c.validation_batches);
  visit(field("early_stopping_patience", "validations without improvement before training stops")
            .flag("--early-stop")
            .unset("none")
            .range(1, 1e6),
        c.early_stopping_patience);
  visit(field("render_every",
              "steps between renderings of the evaluation sentences to sound and image; 0: never")
            .unit("steps")
            .flag("--render-every")
            .range(0, 1e15),
        c.render_every);
  visit(field("evaluation_sentences", "text file, one sentence a line; auto: one in each language"),
        c.evaluation_sentences);
  visit(field("log_every",
              "steps between lines where progress cannot be rewritten in place; auto: a line every "
              "ten seconds")
            .unit("steps")
            .flag("--log-every")
            .range(1, 1e15),
        c.log_every);
  visit(field("tensorboard",
              "write event files for TensorBoard: losses, the step ledger, sound, pictures and the "
              "verdict")
            .flag("--tensorboard"),
        c.tensorboard);
  visit(field("tensorboard_dir",
              "folder of the event files, which are then written; auto: tensorboard/ beside the "
              "checkpoints")
            .flag("--tensorboard-dir"),
        c.tensorboard_dir);
}

template <ConstOrNot<TrainingConfig> C, typename Visitor>
void visit_fields(C& c, Visitor&& visit) {
  visit(field("epochs", "passes over the training set; auto: 500, or as many as max_steps take")
            .flag("--epochs")
            .range(1, 1e9),
        c.epochs);
  visit(field("max_steps", "stop after this many steps, whatever the epoch")
            .flag("--max-steps")
            .unset("none")
            .range(1, 1e15),
        c.max_steps);
  visit_update_fields(c, visit);
  visit(field("seed", "decides the order of batches and the first weights")
            .flag("--seed")
            .range(0, 9007199254740992.0),
        c.seed);
  visit_record_fields(c, visit);
  visit(field("overfit_one_batch",
              "train on the first batch_size utterances only, to see whether a model can learn")
            .flag("--overfit-one-batch"),
        c.overfit_one_batch);
  visit(field("mixed_precision", "bf16 autocast; auto: on for GPUs that have bf16")
            .flag("--mixed-precision", "--no-mixed-precision"),
        c.mixed_precision);
  visit(
      field("enable_graph_mode", "record a step as a CUDA graph; auto: on with CUDA")
          .inert_without(Needs::cuda, "graph mode means CUDA graphs, and there is no CUDA device"),
      c.enable_graph_mode);
  visit(field("enable_xla_compilation", "compile steps with XLA")
            .inert_without(Needs::tensorflow, "there is no TensorFlow here, so there is no XLA"),
        c.enable_xla_compilation);
  visit(field("enable_eager_debug", "name the stage or operation that makes the first NaN; slow")
            .flag("--enable-eager-debug"),
        c.enable_eager_debug);
}

}  // namespace qanat
