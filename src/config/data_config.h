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

// What is read.
template <ConstOrNot<DataConfig> C, typename Visitor>
void visit_source_fields(C& c, Visitor& visit) {
  visit(field("train_data", "folder of the training set: metadata_train.csv or metadata.csv, wavs/")
            .flag("--train-data,--data-path")
            .unset("none"),
        c.train_data);
  visit(field("val_data", "folder of the validation set; none: a part of the training set")
            .flag("--val-data")
            .unset("none"),
        c.val_data);
  visit(field("val_split",
              "share of the training set kept for validation when there is no val_data and no "
              "metadata_eval.csv; chosen by a hash of the id, so it stays the same")
            .range(0, 0.5),
        c.val_split);
  visit(
      field("split_seed",
            "decides which utterances are kept for validation; auto: that of the checkpoint a run "
            "resumes from, else 0")
          .flag("--split-seed")
          .range(0, 9007199254740992.0),
      c.split_seed);
  visit(field("language", "language of rows that name none; auto: by the script of their text"),
        c.language);
  visit(field("use_phonemes", "tokens are phonemes made by espeak-ng instead of characters"),
        c.use_phonemes);
  visit(field("unify_spelling",
              "one spelling for what Persian writes in several ways; false: as it is written"),
        c.unify_spelling);
  visit(field("mark_ezafe", "write the Persian ezafe where it is certain; most of it is not"),
        c.mark_ezafe);
  visit(field("max_text_length", "longest text; longer utterances are refused and listed, not cut")
            .unit("tokens")
            .flag("--max-text-length")
            .range(1, 100000),
        c.max_text_length);
  visit(field("max_mel_frames", "longest audio; longer utterances are refused and listed, not cut")
            .unit("frames")
            .flag("--max-mel-frames")
            .range(1, 1000000),
        c.max_mel_frames);
  visit(field("preprocessing_mode",
              "where features come from: precompute (shards made by `qanat precompute`), runtime "
              "(audio files), auto (shards where they are fresh)"),
        c.preprocessing_mode);
  visit(field("feature_dir", "folder of the precomputed shards; auto: beside the data set"),
        c.feature_dir);
  visit(field("cache_dir",
              "folder where lengths of data sets are remembered; auto: the user's cache folder, or "
              "beside "
              "the data set"),
        c.cache_dir);
}

// How it is loaded.
template <ConstOrNot<DataConfig> C, typename Visitor>
void visit_loading_fields(C& c, Visitor& visit) {
  constexpr std::string_view kNoDevice = "there is no GPU to copy to";
  visit(field("batch_size", "utterances in a batch")
            .unit("utterances")
            .flag("--batch-size")
            .range(1, 65536),
        c.batch_size);
  visit(field("enable_static_shapes",
              "pad to a few fixed shapes (pipeline.bucket_edges) instead of the longest of a batch")
            .flag("--enable-static-shapes", "--disable-static-shapes"),
        c.enable_static_shapes);
  visit(field("num_workers", "threads that load; auto: as many as keep the trainer fed")
            .unit("threads")
            .flag("--num-workers")
            .range(1, 1024),
        c.num_workers);
  visit(
      field("pipeline_buffer_size",
            "batches ready ahead, also bounded by memory; 0: none, load and train in turns; auto: "
            "up to 50, as many as it takes")
          .unit("batches")
          .flag("--buffer-size")
          .range(0, 100000),
      c.pipeline_buffer_size);
  visit(field("prefetch_buffer_size",
              "batches held on the device; auto: at first 48 or what 256 MB hold, fewer when never "
              "needed")
            .unit("slots")
            .flag("--prefetch-buffer-size")
            .range(1, 64)
            .inert_without(Needs::gpu, kNoDevice),
        c.prefetch_buffer_size);
  visit(field("model_start_delay", "longest wait for a warm buffer before the first step")
            .unit("s")
            .flag("--model-start-delay")
            .range(0, 3600),
        c.model_start_delay);
  visit(field("prefetch_to_gpu", "copy batches to the device before their step")
            .inert_without(Needs::gpu, kNoDevice),
        c.prefetch_to_gpu);
  visit(field("enhanced_gpu_prefetch", "copy from page-locked memory on a stream of its own")
            .inert_without(Needs::gpu, kNoDevice),
        c.enhanced_gpu_prefetch);
  visit(field("optimize_cpu_gpu_overlap", "tune workers and buffers to the measured step time"),
        c.optimize_cpu_gpu_overlap);
  visit(field("use_tf_native_loading", "load with the native loader")
            .inert_without(Needs::tensorflow, "the native loader is the only one here")
            .passive("true"),
        c.use_tf_native_loading);
  visit(field("data_gpu", "GPU that makes the features; with model_gpu: Multi-GPU mode")
            .flag("--data-gpu")
            .unset("none")
            .range(0, 1023),
        c.data_gpu);
  visit(field("model_gpu", "GPU that trains; with data_gpu: Multi-GPU mode")
            .flag("--model-gpu")
            .unset("none")
            .range(0, 1023),
        c.model_gpu);
}

template <ConstOrNot<DataConfig> C, typename Visitor>
void visit_fields(C& config, Visitor&& visit) {
  visit_source_fields(config, visit);
  visit_loading_fields(config, visit);
}

}  // namespace qanat
