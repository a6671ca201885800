#include "config/check_config.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "config/field_list.h"

namespace qanat {
namespace {

bool satisfied(Needs needs, const Capabilities& capabilities) {
  switch (needs) {
    case Needs::nothing:
      return true;
    case Needs::gpu:
      return capabilities.gpu;
    case Needs::cuda:
      return capabilities.cuda;
    case Needs::tensorflow:
      return false;
  }
  return false;
}

void check_gpus(const DataConfig& data, std::vector<Problem>& found) {
  if (data.data_gpu.has_value() != data.model_gpu.has_value()) {
    const bool has_data = data.data_gpu.has_value();
    found.push_back({.where = "",
                     .key = has_data ? "data.data_gpu" : "data.model_gpu",
                     .what = fmt::format("{} is missing; both are needed for Multi-GPU mode; try "
                                         "--data-gpu 0 --model-gpu 1, or neither",
                                         has_data ? "data.model_gpu" : "data.data_gpu"),
                     .other_key = has_data ? "data.model_gpu" : "data.data_gpu"});
  } else if (data.data_gpu && data.data_gpu == data.model_gpu) {
    found.push_back({.where = "",
                     .key = "data.model_gpu",
                     .what = fmt::format("the same GPU as data.data_gpu: {}; expected two "
                                         "different ones; try neither for one GPU",
                                         *data.model_gpu),
                     .other_key = "data.data_gpu"});
  }
}

// A setting that makes a key ineffective although machine and build support it.
struct Shadowed {
  std::string_view key;
  bool holds;
  std::string_view reason;
};

std::array<Shadowed, 13> shadowed(const RunConfig& config, const Capabilities& capabilities) {
  const bool isolated = config.pipeline.enable_memory_isolation;
  constexpr std::string_view kNeedsIsolation =
      "budgets are enforced with pipeline.enable_memory_isolation only";
  return {{
      {"pipeline.data_gpu_memory", !isolated, kNeedsIsolation},
      {"pipeline.model_gpu_memory", !isolated, kNeedsIsolation},
      {"pipeline.data_gpu_memory",
       isolated && !config.data.data_gpu,
       "there is no data GPU without data.data_gpu"},
      {"pipeline.virtual_gpu_memory",
       config.pipeline.virtual_gpus == 0,
       "there are no virtual GPUs; pipeline.virtual_gpus is 0"},
      {"pipeline.bucket_edges",
       !config.data.enable_static_shapes,
       "data.enable_static_shapes is off, so every batch is as long as its longest utterance"},
      {"data.val_split", config.data.val_data.has_value(), "data.val_data is given"},
      {"data.split_seed", config.data.val_data.has_value(), "data.val_data is given"},
      {"data.feature_dir",
       config.data.preprocessing_mode == PreprocessingMode::runtime,
       "data.preprocessing_mode is runtime, which does not read shards"},
      {"pipeline.feature_cache",
       config.training.epochs == 1,
       "there is one epoch only, so nothing is needed again"},
      {"pipeline.feature_cache",
       config.training.epochs != 1 &&
           config.data.preprocessing_mode == PreprocessingMode::precompute,
       "data.preprocessing_mode is precompute, and shards are read without it"},
      {"data.optimize_cpu_gpu_overlap",
       config.data.num_workers && config.data.pipeline_buffer_size,
       "data.num_workers and data.pipeline_buffer_size are given, so nothing is left to tune"},
      {"data.preprocessing_mode",
       capabilities.multi_gpu && config.data.preprocessing_mode == PreprocessingMode::precompute,
       "in Multi-GPU mode the data GPU makes the features of the training set from audio; shards "
       "serve validation only"},
      {"data.batch_size",
       config.pipeline.frame_budget.has_value(),
       "pipeline.frame_budget is given, so the rows of a batch follow from its length"},
  }};
}

std::string note(const std::string& key, const Origins& origins, std::string_view reason) {
  return fmt::format("{} ({}) has no effect: {}", key, origins.at(key), reason);
}

// training.seed orders the batches, so the loader uses it, too.
bool only_trainer_reads(const FieldEntry& field) {
  return (field.section == "training" || field.section == "model") && field.key != "training.seed";
}

}  // namespace

std::vector<Problem> problems(const RunConfig& config) {
  std::vector<Problem> found;
  check_gpus(config.data, found);
  if (config.training.resume && config.training.reset_training) {
    found.push_back({.where = "",
                     .key = "training.reset_training",
                     .what = "contradicts training.resume; expected one of them; drop the other",
                     .other_key = "training.resume"});
  }
  if (config.pipeline.frame_budget && *config.pipeline.frame_budget < config.data.max_mel_frames) {
    found.push_back(
        {.where = "",
         .key = "pipeline.frame_budget",
         .what = fmt::format("{} frames hold no utterance of data.max_mel_frames = {}; expected at "
                             "least that many",
                             *config.pipeline.frame_budget,
                             config.data.max_mel_frames),
         .other_key = "data.max_mel_frames"});
  }
  return found;
}

std::vector<std::string> inert_notes(const LoadedConfig& config, const Capabilities& capabilities) {
  std::vector<std::string> notes;
  std::vector<std::string> unread;
  for (const FieldEntry& field : list_fields(config.values)) {
    if (!config.origins.contains(field.key) || field.value == field.spec.unset_word) {
      continue;
    }
    const bool asks = field.value != field.spec.passive_value;
    if (asks && !satisfied(field.spec.needs, capabilities)) {
      notes.push_back(note(field.key, config.origins, field.spec.inert_reason));
    } else if (!capabilities.trainer && only_trainer_reads(field)) {
      unread.push_back(field.key);
    }
  }
  for (const Shadowed& rule : shadowed(config.values, capabilities)) {
    const std::string key(rule.key);
    if (rule.holds && config.origins.contains(key)) {
      notes.push_back(note(key, config.origins, rule.reason));
    }
  }
  if (!unread.empty()) {
    notes.push_back(
        fmt::format("no trainer in this build: {} {} checked and kept, but nothing reads {}",
                    fmt::join(unread, ", "),
                    unread.size() == 1 ? "is" : "are",
                    unread.size() == 1 ? "it" : "them"));
  }
  return notes;
}

}  // namespace qanat
