// Section `data`: which utterances, in which form, and how they are loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/language.h"
#include "base/time.h"
#include "config/field.h"

namespace qanat {

enum class PreprocessingMode { automatic, precompute, runtime };

template <>
inline constexpr std::array kChoices<PreprocessingMode> = {
    Choice{"auto", PreprocessingMode::automatic},
    Choice{"precompute", PreprocessingMode::precompute},
    Choice{"runtime", PreprocessingMode::runtime}};

struct DataConfig {
  std::optional<std::string> train_data;
  std::optional<std::string> val_data;
  double val_split = 0.05;
  std::optional<std::int64_t> split_seed;
  std::optional<Language> language;
  bool use_phonemes = false;
  bool unify_spelling = true;
  bool mark_ezafe = false;
  int max_text_length = 200;  // tokens
  int max_mel_frames = 1024;
  PreprocessingMode preprocessing_mode = PreprocessingMode::automatic;
  std::optional<std::string> feature_dir;
  std::optional<std::string> cache_dir;

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
  std::optional<int> data_gpu;
  std::optional<int> model_gpu;

  bool operator==(const DataConfig&) const = default;
};

}  // namespace qanat
