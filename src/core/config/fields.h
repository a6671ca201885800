// Every field of every section, once: its name, what it means, its unit, flag and range. For
// field_list.cpp, which makes data of it; structs with defaults are in run_config.h.
#pragma once

#include "config/field.h"
#include "config/run_config.h"
#include "locale/messages/configuration.h"
#include "locale/messages/devices.h"
#include "locale/messages/languages.h"

namespace qanat {

// What is read.
template <ConstOrNot<DataConfig> C, typename Visitor>
void visit_source_fields(C& c, Visitor& visit) {
  visit(field("train_data", msg::field_train_data::id)
            .flag("--data,--train-data,--data-path")
            .unset("none"),
        c.train_data);
  visit(field("val_data", msg::field_val_data::id).flag("--val-data").unset("none"), c.val_data);
  visit(field("view", msg::field_view::id).flag("--view").unset("none"), c.view);
  visit(field("columns", msg::field_columns::id).flag("--columns").unset("none"), c.columns);
  visit(field("val_split", msg::field_val_split::id).range(0, 0.5), c.val_split);
  visit(field("split_seed", msg::field_split_seed::id)
            .flag("--split-seed")
            .range(0, 9007199254740992.0),
        c.split_seed);
  visit(field("language", msg::field_language::id).flag("--language"), c.language);
  visit(field("use_phonemes", msg::field_use_phonemes::id).flag("--use-phonemes"), c.use_phonemes);
  visit(field("g2p", msg::field_g2p::id).flag("--g2p").unset("none"), c.g2p);
  visit(field("unify_spelling", msg::field_unify_spelling::id), c.unify_spelling);
  visit(field("mark_ezafe", msg::field_mark_ezafe::id), c.mark_ezafe);
  visit(field("max_text_length", msg::field_max_text_length::id)
            .unit("tokens")
            .flag("--max-text-length")
            .range(1, 100000),
        c.max_text_length);
  visit(field("max_mel_frames", msg::field_max_mel_frames::id)
            .unit("frames")
            .flag("--max-mel-frames")
            .range(1, 1000000),
        c.max_mel_frames);
  visit(field("preprocessing_mode", msg::field_preprocessing_mode::id), c.preprocessing_mode);
  visit(field("feature_dir", msg::field_feature_dir::id), c.feature_dir);
  visit(field("cache_dir", msg::field_cache_dir::id), c.cache_dir);
  visit(field("store_timeout", msg::field_store_timeout::id).unit("s").range(1, 86400),
        c.store_timeout);
  visit(field("store_requests", msg::field_store_requests::id).range(1, 256), c.store_requests);
  visit(field("store_cache", msg::field_store_cache::id).unit("MB").range(0, 1e9), c.store_cache);
  visit(field("store_cache_dir", msg::field_store_cache_dir::id), c.store_cache_dir);
}

// How it is loaded.
template <ConstOrNot<DataConfig> C, typename Visitor>
void visit_loading_fields(C& c, Visitor& visit) {
  constexpr MessageId kNoDevice = msg::inert_no_gpu::id;
  visit(field("batch_size", msg::field_batch_size::id)
            .unit("utterances")
            .flag("--batch-size")
            .range(1, 65536),
        c.batch_size);
  visit(field("enable_static_shapes", msg::field_enable_static_shapes::id)
            .flag("--enable-static-shapes", "--disable-static-shapes"),
        c.enable_static_shapes);
  visit(field("num_workers", msg::field_num_workers::id)
            .unit("threads")
            .flag("--num-workers")
            .range(1, 1024),
        c.num_workers);
  visit(field("pipeline_buffer_size", msg::field_pipeline_buffer_size::id)
            .unit("batches")
            .flag("--buffer-size")
            .range(0, 100000),
        c.pipeline_buffer_size);
  visit(field("prefetch_buffer_size", msg::field_prefetch_buffer_size::id)
            .unit("slots")
            .flag("--prefetch-buffer-size")
            .range(1, 64)
            .inert_without(Needs::gpu, kNoDevice),
        c.prefetch_buffer_size);
  visit(field("model_start_delay", msg::field_model_start_delay::id)
            .unit("s")
            .flag("--model-start-delay")
            .range(0, 3600),
        c.model_start_delay);
  visit(
      field("prefetch_to_gpu", msg::field_prefetch_to_gpu::id).inert_without(Needs::gpu, kNoDevice),
      c.prefetch_to_gpu);
  visit(field("enhanced_gpu_prefetch", msg::field_enhanced_gpu_prefetch::id)
            .inert_without(Needs::gpu, kNoDevice),
        c.enhanced_gpu_prefetch);
  visit(field("optimize_cpu_gpu_overlap", msg::field_optimize_cpu_gpu_overlap::id),
        c.optimize_cpu_gpu_overlap);
  visit(field("use_tf_native_loading", msg::field_use_tf_native_loading::id)
            .inert_without(Needs::tensorflow, msg::inert_only_loader::id)
            .passive("true"),
        c.use_tf_native_loading);
  visit(field("data_gpu", msg::field_data_gpu::id).flag("--data-gpu").unset("none").range(0, 1023),
        c.data_gpu);
  visit(
      field("model_gpu", msg::field_model_gpu::id).flag("--model-gpu").unset("none").range(0, 1023),
      c.model_gpu);
}

template <ConstOrNot<DataConfig> C, typename Visitor>
void visit_fields(C& config, Visitor&& visit) {
  visit_source_fields(config, visit);
  visit_loading_fields(config, visit);
}

template <ConstOrNot<ModelConfig> C, typename Visitor>
void visit_fields(C& c, Visitor&& visit) {
  visit(field("size", msg::field_size::id).flag("--model-size"), c.size);
  visit(field("speaker_table", msg::field_speaker_table::id).flag("--speaker-table"),
        c.speaker_table);
}

// What an update is.
template <ConstOrNot<TrainingConfig> C, typename Visitor>
void visit_update_fields(C& c, Visitor& visit) {
  visit(field("gradient_accumulation_steps", msg::field_gradient_accumulation_steps::id)
            .flag("--grad-accum")
            .range(1, 65536),
        c.gradient_accumulation_steps);
  visit(field("learning_rate", msg::field_learning_rate::id).flag("--lr").range(1e-12, 10),
        c.learning_rate);
  visit(field("warmup_steps", msg::field_warmup_steps::id)
            .unit("steps")
            .flag("--warmup-steps")
            .range(1, 1e9),
        c.warmup_steps);
  visit(field("weight_decay", msg::field_weight_decay::id).range(0, 10), c.weight_decay);
  visit(field("gradient_clip", msg::field_gradient_clip::id).range(0, 1e9), c.gradient_clip);
  visit(field("ema_decay", msg::field_ema_decay::id).range(0, 0.9999999), c.ema_decay);
  visit(field("binarisation_start", msg::field_binarisation_start::id).unit("steps").range(0, 1e15),
        c.binarisation_start);
  visit(field("max_skipped_steps", msg::field_max_skipped_steps::id).range(0, 1e9),
        c.max_skipped_steps);
}

// What is kept of a run, and looked at while it runs.
template <ConstOrNot<TrainingConfig> C, typename Visitor>
void visit_record_fields(C& c, Visitor& visit) {
  visit(field("name", msg::field_name::id).flag("--name"), c.name);
  visit(field("checkpoint_dir", msg::field_checkpoint_dir::id).flag("--checkpoint-dir"),
        c.checkpoint_dir);
  visit(field("save_every", msg::field_save_every::id)
            .unit("steps")
            .flag("--save-every")
            .range(0, 1e15),
        c.save_every);
  visit(field("keep_checkpoints", msg::field_keep_checkpoints::id)
            .flag("--keep-checkpoints")
            .range(1, 1e6),
        c.keep_checkpoints);
  visit(field("resume", msg::field_resume::id).flag("--resume"), c.resume);
  visit(field("reset_training", msg::field_reset_training::id).flag("--reset-training"),
        c.reset_training);
  visit(field("reset_schedule", msg::field_reset_schedule::id).flag("--reset-schedule"),
        c.reset_schedule);
  visit(field("init_from", msg::field_init_from::id).flag("--init-from").unset("none"),
        c.init_from);
  visit(field("freeze", msg::field_freeze::id).flag("--freeze").unset("none"), c.freeze);
  visit(field("validate_every", msg::field_validate_every::id)
            .unit("steps")
            .flag("--validate-every")
            .range(0, 1e15),
        c.validate_every);
  visit(
      field("validation_batches", msg::field_validation_batches::id).unit("batches").range(0, 1e6),
      c.validation_batches);
  visit(field("best_by", msg::field_best_by::id), c.best_by);
  visit(field("early_stopping_patience", msg::field_early_stopping_patience::id)
            .flag("--early-stop")
            .unset("none")
            .range(1, 1e6),
        c.early_stopping_patience);
  visit(field("render_every", msg::field_render_every::id)
            .unit("steps")
            .flag("--render-every")
            .range(0, 1e15),
        c.render_every);
  visit(field("evaluation_sentences", msg::field_evaluation_sentences::id), c.evaluation_sentences);
  visit(
      field("log_every", msg::field_log_every::id).unit("steps").flag("--log-every").range(1, 1e15),
      c.log_every);
  visit(field("tensorboard", msg::field_tensorboard::id).flag("--tensorboard"), c.tensorboard);
  visit(field("tensorboard_dir", msg::field_tensorboard_dir::id).flag("--tensorboard-dir"),
        c.tensorboard_dir);
}

// Who else trains.
template <ConstOrNot<TrainingConfig> C, typename Visitor>
void visit_process_fields(C& c, Visitor& visit) {
  visit(field("microbatch_size", msg::field_microbatch_size::id)
            .unit("rows")
            .flag("--microbatch-size")
            .range(0, 1e6),
        c.microbatch_size);
  visit(field("processes", msg::field_processes::id).flag("--processes").range(1, 1024),
        c.processes);
  visit(field("exchange_timeout", msg::field_exchange_timeout::id)
            .unit("s")
            .flag("--exchange-timeout")
            .range(1, 86400),
        c.exchange_timeout);
  visit(field("exchange_format", msg::field_exchange_format::id), c.exchange_format);
  visit(field("compare_weights_every", msg::field_compare_weights_every::id)
            .unit("steps")
            .range(0, 1e15),
        c.compare_weights_every);
}

template <ConstOrNot<TrainingConfig> C, typename Visitor>
void visit_fields(C& c, Visitor&& visit) {
  visit(field("task", msg::field_task::id).flag("--task"), c.task);
  visit(field("epochs", msg::field_epochs::id).flag("--epochs").range(1, 1e9), c.epochs);
  visit(
      field("max_steps", msg::field_max_steps::id).flag("--max-steps").unset("none").range(1, 1e15),
      c.max_steps);
  visit_update_fields(c, visit);
  visit(field("seed", msg::field_seed::id).flag("--seed").range(0, 9007199254740992.0), c.seed);
  visit_record_fields(c, visit);
  visit(field("overfit_one_batch", msg::field_overfit_one_batch::id).flag("--overfit-one-batch"),
        c.overfit_one_batch);
  visit(field("mixed_precision", msg::field_mixed_precision::id)
            .flag("--mixed-precision", "--no-mixed-precision"),
        c.mixed_precision);
  visit(field("enable_graph_mode", msg::field_enable_graph_mode::id)
            .inert_without(Needs::cuda, msg::inert_no_cuda::id),
        c.enable_graph_mode);
  visit(field("enable_xla_compilation", msg::field_enable_xla_compilation::id)
            .inert_without(Needs::tensorflow, msg::inert_no_xla::id),
        c.enable_xla_compilation);
  visit(field("enable_eager_debug", msg::field_enable_eager_debug::id).flag("--enable-eager-debug"),
        c.enable_eager_debug);
  visit_process_fields(c, visit);
}

template <ConstOrNot<VocoderConfig> C, typename Visitor>
void visit_fields(C& c, Visitor&& visit) {
  visit(field("mel_from", msg::field_mel_from::id).flag("--mel-from").unset("none"), c.mel_from);
  visit(field("segment_frames", msg::field_segment_frames::id)
            .unit("frames")
            .flag("--segment-frames")
            .range(8, 100000),
        c.segment_frames);
  visit(field("discriminator_start", msg::field_discriminator_start::id)
            .unit("steps")
            .flag("--discriminator-start")
            .range(0, 1e15),
        c.discriminator_start);
  visit(field("mel_weight", msg::field_mel_weight::id).range(0, 1e6), c.mel_weight);
  visit(field("stft_weight", msg::field_stft_weight::id).range(0, 1e6), c.stft_weight);
  visit(field("magnitude_weight", msg::field_magnitude_weight::id).range(0, 1e6),
        c.magnitude_weight);
  visit(field("adversarial_weight", msg::field_adversarial_weight::id).range(0, 1e6),
        c.adversarial_weight);
  visit(field("feature_weight", msg::field_feature_weight::id).range(0, 1e6), c.feature_weight);
}

template <ConstOrNot<PipelineConfig> C, typename Visitor>
void visit_fields(C& c, Visitor&& visit) {
  constexpr double kMaxMegabytes = 1e9;
  visit(field("bucket_edges", msg::field_bucket_edges::id).range(1, 256), c.bucket_edges);
  visit(field("frame_budget", msg::field_frame_budget::id)
            .unit("frames")
            .unset("none")
            .range(1, 1e12),
        c.frame_budget);
  visit(field("shuffle", msg::field_shuffle::id), c.shuffle);
  visit(field("max_bad_fraction", msg::field_max_bad_fraction::id).range(0, 1), c.max_bad_fraction);
  visit(field("memory_budget", msg::field_memory_budget::id).unit("MB").range(1, kMaxMegabytes),
        c.memory_budget);
  visit(field("feature_cache", msg::field_feature_cache::id).unit("MB").range(0, kMaxMegabytes),
        c.feature_cache);
  visit(field("virtual_gpus", msg::field_virtual_gpus::id).flag("--virtual-gpus").range(0, 64),
        c.virtual_gpus);
  visit(field("virtual_gpu_memory", msg::field_virtual_gpu_memory::id)
            .unit("MB")
            .flag("--virtual-gpu-memory")
            .range(1, kMaxMegabytes),
        c.virtual_gpu_memory);
  visit(field("enable_memory_isolation", msg::field_enable_memory_isolation::id)
            .flag("--enable-memory-isolation"),
        c.enable_memory_isolation);
  visit(field("data_gpu_memory", msg::field_data_gpu_memory::id)
            .unit("MB")
            .flag("--data-gpu-memory")
            .range(1, kMaxMegabytes),
        c.data_gpu_memory);
  visit(field("model_gpu_memory", msg::field_model_gpu_memory::id)
            .unit("MB")
            .flag("--model-gpu-memory")
            .range(1, kMaxMegabytes),
        c.model_gpu_memory);
  visit(field("allow_fallback", msg::field_allow_fallback::id).flag("--allow-fallback"),
        c.allow_fallback);
  visit(field("monitor_every", msg::field_monitor_every::id).unit("s").range(0, 3600),
        c.monitor_every);
}

// Calls `visit(const SectionSpec&, section)` once per section.
template <ConstOrNot<RunConfig> C, typename Visitor>
void visit_sections(C& config, Visitor&& visit) {
  visit(SectionSpec{"data", msg::section_data::id, msg::heading_data::id}, config.data);
  visit(SectionSpec{"model", msg::section_model::id, msg::heading_model::id}, config.model);
  visit(SectionSpec{"training", msg::section_training::id, msg::heading_training::id},
        config.training);
  visit(SectionSpec{"vocoder", msg::section_vocoder::id, msg::heading_vocoder::id}, config.vocoder);
  visit(SectionSpec{"pipeline", msg::section_pipeline::id, msg::heading_pipeline::id},
        config.pipeline);
}

}  // namespace qanat
