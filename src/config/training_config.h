// Section `training`: how long, how fast, from where and to where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/field.h"

namespace qanat {

struct TrainingConfig {
  int epochs = 500;
  std::optional<std::int64_t> max_steps;
  int gradient_accumulation_steps = 1;
  std::optional<double> learning_rate;
  std::int64_t seed = 0;
  std::string checkpoint_dir = "checkpoints";
  bool resume = false;
  bool reset_training = false;
  std::optional<int> early_stopping_patience;  // validations
  std::optional<bool> mixed_precision;
  std::optional<bool> enable_graph_mode;
  bool enable_xla_compilation = false;
  bool enable_eager_debug = false;

  bool operator==(const TrainingConfig&) const = default;
};

template <ConstOrNot<TrainingConfig> C, typename Visitor>
void visit_fields(C& c, Visitor&& visit) {
  visit(field("epochs", "passes over the training set").flag("--epochs").range(1, 1e9), c.epochs);
  visit(field("max_steps", "stop after this many steps, whatever the epoch")
            .flag("--max-steps")
            .unset("none")
            .range(1, 1e15),
        c.max_steps);
  visit(field("gradient_accumulation_steps", "batches that make one update")
            .flag("--grad-accum")
            .range(1, 65536),
        c.gradient_accumulation_steps);
  visit(field("learning_rate", "highest learning rate; auto: by model size")
            .flag("--lr")
            .range(1e-12, 10),
        c.learning_rate);
  visit(field("seed", "decides the order of batches, the split and the first weights")
            .flag("--seed")
            .range(0, 9007199254740992.0),
        c.seed);
  visit(field("checkpoint_dir", "folder of the checkpoints").flag("--checkpoint-dir"),
        c.checkpoint_dir);
  visit(field("resume",
              "insist on a checkpoint to continue from; without it one is used when there is one")
            .flag("--resume"),
        c.resume);
  visit(
      field("reset_training", "start anew although there are checkpoints").flag("--reset-training"),
      c.reset_training);
  visit(field("early_stopping_patience", "validations without improvement before training stops")
            .flag("--early-stop")
            .unset("none")
            .range(1, 1e6),
        c.early_stopping_patience);
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
  visit(field("enable_eager_debug", "check every operation for non-finite values; slow")
            .flag("--enable-eager-debug"),
        c.enable_eager_debug);
}

}  // namespace qanat
