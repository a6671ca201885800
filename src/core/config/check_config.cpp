#include "config/check_config.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/url.h"
#include "config/field_list.h"
#include "locale/messages/configuration.h"
#include "locale/messages/devices.h"

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

// The first GPU that a process would use for both, or nothing.
std::optional<int> same_gpu(const GpuList& data, const GpuList& model) {
  for (std::size_t i = 0; i < model.indices.size(); ++i) {
    if (data.indices[i] == model.indices[i]) {
      return model.indices[i];
    }
  }
  return std::nullopt;
}

void check_gpus(const DataConfig& data, std::vector<Problem>& found) {
  // Several that train, and none that computes features: a replica on each.
  const bool are_replicas = !data.data_gpu && data.model_gpu && data.model_gpu->indices.size() > 1;
  if (data.data_gpu.has_value() != data.model_gpu.has_value() && !are_replicas) {
    const bool has_data = data.data_gpu.has_value();
    found.push_back(
        {.where = "",
         .key = has_data ? "data.data_gpu" : "data.model_gpu",
         .what = msg::problem_gpu_missing{.other = has_data ? "data.model_gpu" : "data.data_gpu"},
         .other_key = has_data ? "data.model_gpu" : "data.data_gpu"});
    return;
  }
  if (!data.data_gpu) {
    return;
  }
  const auto report = [&](const Message& what) {
    found.push_back(
        {.where = "", .key = "data.model_gpu", .what = what, .other_key = "data.data_gpu"});
  };
  if (data.data_gpu->indices.size() != data.model_gpu->indices.size()) {
    report(msg::problem_gpu_lists{.model = data.model_gpu->indices.size(),
                                  .data = data.data_gpu->indices.size()});
  } else if (const std::optional<int> gpu = same_gpu(*data.data_gpu, *data.model_gpu)) {
    report(msg::problem_same_gpu{.gpu = *gpu});
  }
}

// A setting that makes a key ineffective although machine and build support it.
struct Shadowed {
  std::string_view key;
  bool holds;
  MessageId reason;
};

// What one task reads and the other does not.
std::vector<Shadowed> shadowed_by_task(const RunConfig& config) {
  const bool is_vocoder = trains_vocoder(config.training);
  std::vector<Shadowed> rules;
  for (const std::string_view key : {"data.language",
                                     "data.use_phonemes",
                                     "data.g2p",
                                     "data.unify_spelling",
                                     "data.mark_ezafe",
                                     "data.max_text_length",
                                     "data.max_mel_frames",
                                     "data.preprocessing_mode",
                                     "data.feature_dir",
                                     "model.speaker_table",
                                     "training.binarisation_start",
                                     "training.freeze",
                                     "training.best_by",
                                     "training.evaluation_sentences",
                                     "training.mixed_precision",
                                     "training.enable_graph_mode",
                                     "pipeline.bucket_edges",
                                     "pipeline.feature_cache"}) {
    rules.push_back({key, is_vocoder, msg::inert_vocoder::id});
  }
  if (reads_predicted_mel(config)) {  // the speech model reads the texts, of what is not too long
    std::erase_if(rules, [](const Shadowed& rule) {
      return rule.key == "data.language" || rule.key == "data.max_mel_frames";
    });
  }
  for (const std::string_view key : {"vocoder.segment_frames",
                                     "vocoder.discriminator_start",
                                     "vocoder.mel_weight",
                                     "vocoder.stft_weight",
                                     "vocoder.magnitude_weight",
                                     "vocoder.adversarial_weight",
                                     "vocoder.feature_weight"}) {
    rules.push_back({key, !is_vocoder, msg::inert_speech::id});
  }
  return rules;
}

bool reads_urls(const DataConfig& data) {
  return is_url(data.train_data.value_or("")) || is_url(data.val_data.value_or(""));
}

// The value is not repeated.
void check_urls(const DataConfig& data, std::vector<Problem>& found) {
  const auto check = [&](const char* key, const std::optional<std::string>& value) {
    if (is_url(value.value_or("")) && has_secret(*value)) {
      found.push_back({.where = "", .key = key, .what = msg::problem_url_secret{}});
    }
  };
  check("data.train_data", data.train_data);
  check("data.val_data", data.val_data);
}

std::array<Shadowed, 18> shadowed(const RunConfig& config, const Capabilities& capabilities) {
  const bool isolated = config.pipeline.enable_memory_isolation;
  constexpr MessageId kNeedsIsolation = msg::inert_isolation::id;
  return {{
      {"pipeline.data_gpu_memory", !isolated, kNeedsIsolation},
      {"pipeline.model_gpu_memory", !isolated, kNeedsIsolation},
      {"pipeline.data_gpu_memory", isolated && !config.data.data_gpu, msg::inert_no_data_gpu::id},
      {"pipeline.virtual_gpu_memory",
       config.pipeline.virtual_gpus == 0,
       msg::inert_no_virtual_gpus::id},
      {"pipeline.bucket_edges", !config.data.enable_static_shapes, msg::inert_no_static_shapes::id},
      {"data.val_split", config.data.val_data.has_value(), msg::inert_val_data::id},
      {"data.split_seed", config.data.val_data.has_value(), msg::inert_val_data::id},
      {"data.feature_dir",
       config.data.preprocessing_mode == PreprocessingMode::runtime,
       msg::inert_runtime::id},
      {"pipeline.feature_cache", config.training.epochs == 1, msg::inert_one_epoch::id},
      {"pipeline.feature_cache",
       config.training.epochs != 1 &&
           config.data.preprocessing_mode == PreprocessingMode::precompute,
       msg::inert_precompute::id},
      {"data.optimize_cpu_gpu_overlap",
       config.data.num_workers && config.data.pipeline_buffer_size,
       msg::inert_nothing_to_tune::id},
      {"data.preprocessing_mode",
       capabilities.multi_gpu && config.data.preprocessing_mode == PreprocessingMode::precompute,
       msg::inert_multi_gpu::id},
      {"data.store_timeout", !reads_urls(config.data), msg::inert_no_url::id},
      {"data.store_requests", !reads_urls(config.data), msg::inert_no_url::id},
      {"data.store_cache", !reads_urls(config.data), msg::inert_no_url::id},
      {"data.store_cache_dir", !reads_urls(config.data), msg::inert_no_url::id},
      {"data.batch_size", config.pipeline.frame_budget.has_value(), msg::inert_frame_budget::id},
      {"training.early_stopping_patience",
       config.training.validate_every == 0,
       msg::inert_no_validation::id},
  }};
}

Message note(const std::string& key, const Origins& origins, MessageId reason) {
  return msg::inert_key{.key = key, .origin = origins.at(key), .reason = Message{reason}};
}

// training.seed orders the batches, so the loader uses it, too.
bool only_trainer_reads(const FieldEntry& field) {
  return (field.section == "training" || field.section == "model" || field.section == "vocoder") &&
         field.key != "training.seed";
}

}  // namespace

std::vector<Problem> problems(const RunConfig& config) {
  std::vector<Problem> found;
  check_gpus(config.data, found);
  check_urls(config.data, found);
  if (config.training.resume && config.training.reset_training) {
    found.push_back({.where = "",
                     .key = "training.reset_training",
                     .what = msg::problem_resume{},
                     .other_key = "training.resume"});
  }
  if (config.training.resume && config.training.init_from) {
    found.push_back({.where = "",
                     .key = "training.init_from",
                     .what = msg::problem_init_resume{},
                     .other_key = "training.resume"});
  }
  if (config.training.freeze && config.training.freeze->size() == kChoices<ModelPart>.size()) {
    found.push_back({.where = "", .key = "training.freeze", .what = msg::problem_freeze_all{}});
  }
  if (trains_vocoder(config.training) && config.model.size == ModelSize::big) {
    found.push_back({.where = "",
                     .key = "model.size",
                     .what = msg::problem_vocoder_size{},
                     .other_key = "training.task"});
  }
  if (config.vocoder.mel_from && !trains_vocoder(config.training)) {
    found.push_back({.where = "",
                     .key = "vocoder.mel_from",
                     .what = msg::problem_mel_from{},
                     .other_key = "training.task"});
  }
  const int longest =
      trains_vocoder(config.training) ? config.vocoder.segment_frames : config.data.max_mel_frames;
  if (config.pipeline.frame_budget && *config.pipeline.frame_budget < longest) {
    found.push_back(
        {.where = "",
         .key = "pipeline.frame_budget",
         .what = msg::problem_frame_budget{.budget = std::to_string(*config.pipeline.frame_budget),
                                           .frames = std::to_string(longest)},
         .other_key =
             trains_vocoder(config.training) ? "vocoder.segment_frames" : "data.max_mel_frames"});
  }
  return found;
}

std::vector<Message> inert_notes(const LoadedConfig& config, const Capabilities& capabilities) {
  std::vector<Message> notes;
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
  const auto check = [&](const Shadowed& rule) {
    const std::string key(rule.key);
    if (rule.holds && config.origins.contains(key)) {
      notes.push_back(note(key, config.origins, rule.reason));
    }
  };
  std::ranges::for_each(shadowed(config.values, capabilities), check);
  std::ranges::for_each(shadowed_by_task(config.values), check);
  if (!unread.empty()) {
    notes.push_back(msg::inert_no_trainer{.count = unread.size(), .keys = unread});
  }
  return notes;
}

}  // namespace qanat
