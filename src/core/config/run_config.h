// Everything a run can be told. A value; app/ maps it to the options of the modules.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/language_tag.h"
#include "base/time.h"
#include "config/field.h"

namespace qanat {

enum class PreprocessingMode { automatic, precompute, runtime };

template <>
inline constexpr std::array kChoices<PreprocessingMode> = {
    Choice{"auto", PreprocessingMode::automatic},
    Choice{"precompute", PreprocessingMode::precompute},
    Choice{"runtime", PreprocessingMode::runtime}};

// Section `data`: which utterances, in which form, and how they are loaded.
struct DataConfig {
  std::optional<std::string> train_data;
  std::optional<std::string> val_data;
  std::optional<std::string> view;     // a file of `data doctor`
  std::optional<std::string> columns;  // role=name,...
  double val_split = 0.05;
  std::optional<std::int64_t> split_seed;
  std::optional<LanguageTag> language;
  bool use_phonemes = false;
  std::optional<std::string> g2p;  // a command
  bool unify_spelling = true;
  bool mark_ezafe = false;
  int max_text_length = 200;  // tokens
  int max_mel_frames = 1024;
  PreprocessingMode preprocessing_mode = PreprocessingMode::automatic;
  std::optional<std::string> feature_dir;
  std::optional<std::string> cache_dir;
  Seconds store_timeout{120};
  int store_requests = 16;
  Megabytes store_cache{10240};
  std::optional<std::string> store_cache_dir;

  int batch_size = 16;
  bool enable_static_shapes = true;
  std::optional<int> num_workers;
  std::optional<int> pipeline_buffer_size;  // batches
  std::optional<int> prefetch_buffer_size;  // slots
  Seconds model_start_delay{2.0};
  bool prefetch_to_gpu = true;
  bool enhanced_gpu_prefetch = true;
  bool optimize_cpu_gpu_overlap = true;
  bool use_tf_native_loading = true;
  std::optional<GpuList> data_gpu;
  std::optional<GpuList> model_gpu;

  bool operator==(const DataConfig&) const = default;
};

enum class ModelSize { nano, tiny, small, normal, big };

template <>
inline constexpr std::array kChoices<ModelSize> = {Choice{"nano", ModelSize::nano},
                                                   Choice{"tiny", ModelSize::tiny},
                                                   Choice{"small", ModelSize::small},
                                                   Choice{"normal", ModelSize::normal},
                                                   Choice{"big", ModelSize::big}};

// Section `model`: what is trained.
struct ModelConfig {
  ModelSize size = ModelSize::tiny;
  bool speaker_table = false;

  bool operator==(const ModelConfig&) const = default;
};

// What a run trains.
enum class TrainingTask { speech, vocoder };

template <>
inline constexpr std::array kChoices<TrainingTask> = {Choice{"speech", TrainingTask::speech},
                                                      Choice{"vocoder", TrainingTask::vocoder}};

// What makes a validation the best so far.
enum class BestBy { free_running, loss };

template <>
inline constexpr std::array kChoices<BestBy> = {Choice{"free_running", BestBy::free_running},
                                                Choice{"loss", BestBy::loss}};

// What of the speech model can be kept as it is, by the names of its modules; the tables of symbols
// and speakers count for themselves, because new rows have to learn.
enum class ModelPart {
  symbols,
  text_encoder,
  speaker_table,
  speaker_encoder,
  aligner,
  duration_predictor,
  decoder,
};

template <>
inline constexpr std::array kChoices<ModelPart> = {
    Choice{"symbols", ModelPart::symbols},
    Choice{"text_encoder", ModelPart::text_encoder},
    Choice{"speaker_table", ModelPart::speaker_table},
    Choice{"speaker_encoder", ModelPart::speaker_encoder},
    Choice{"aligner", ModelPart::aligner},
    Choice{"duration_predictor", ModelPart::duration_predictor},
    Choice{"decoder", ModelPart::decoder}};

// In which numbers processes exchange gradients.
enum class ExchangeFormat { f32, bf16 };

template <>
inline constexpr std::array kChoices<ExchangeFormat> = {Choice{"f32", ExchangeFormat::f32},
                                                        Choice{"bf16", ExchangeFormat::bf16}};

// Section `training`: how long, how fast, from where and to where.
struct TrainingConfig {
  TrainingTask task = TrainingTask::speech;
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
  std::optional<std::string> name;  // of the run, for people
  std::string checkpoint_dir = "checkpoints";
  std::int64_t save_every = 500;  // steps
  int keep_checkpoints = 3;
  bool resume = false;
  bool reset_training = false;
  bool reset_schedule = false;
  std::optional<std::string> init_from;
  std::optional<std::vector<ModelPart>> freeze;
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
  int microbatch_size = 0;  // rows; 0: the whole batch
  int processes = 1;
  Seconds exchange_timeout{60.0};
  ExchangeFormat exchange_format = ExchangeFormat::f32;
  std::int64_t compare_weights_every = 500;  // steps

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

// Section `vocoder`: what is particular to training one.
struct VocoderConfig {
  std::optional<std::string> mel_from;
  int segment_frames = 64;
  std::int64_t discriminator_start = 20'000;  // steps
  double mel_weight = 15;
  double stft_weight = 5;
  double magnitude_weight = 5;
  double adversarial_weight = 1;
  double feature_weight = 2;

  bool operator==(const VocoderConfig&) const = default;
};

// Section `pipeline`: shapes, memory and devices; the defaults suit most runs.
struct PipelineConfig {
  int bucket_edges = 16;
  std::optional<std::int64_t> frame_budget;  // padded mel frames
  bool shuffle = true;
  double max_bad_fraction = 0.1;
  std::optional<Megabytes> memory_budget;
  std::optional<Megabytes> feature_cache;
  int virtual_gpus = 0;
  std::optional<Megabytes> virtual_gpu_memory;
  bool enable_memory_isolation = false;
  Megabytes data_gpu_memory{8192};
  Megabytes model_gpu_memory{16384};
  bool allow_fallback = false;
  Seconds monitor_every{2.0};

  bool operator==(const PipelineConfig&) const = default;
};

inline bool trains_vocoder(const TrainingConfig& training) {
  return training.task == TrainingTask::vocoder;
}

struct RunConfig {
  DataConfig data;
  ModelConfig model;
  TrainingConfig training;
  VocoderConfig vocoder{};
  PipelineConfig pipeline;

  bool operator==(const RunConfig&) const = default;
};

// Whether a vocoder is trained on the mel that a speech model predicts.
inline bool reads_predicted_mel(const RunConfig& config) {
  return trains_vocoder(config.training) && config.vocoder.mel_from.has_value();
}

}  // namespace qanat
