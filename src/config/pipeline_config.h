// Section `pipeline`: shapes, memory and devices; the defaults suit most runs.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "config/field.h"

namespace qanat {

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

template <ConstOrNot<PipelineConfig> C, typename Visitor>
void visit_fields(C& c, Visitor&& visit) {
  constexpr double kMostMegabytes = 1e9;
  visit(field("bucket_edges", "most padded shapes; 1: one fixed shape").range(1, 256),
        c.bucket_edges);
  visit(field("frame_budget",
              "most padded frames in a batch: fewer utterances where they are long; none: every "
              "batch has batch_size utterances")
            .unit("frames")
            .unset("none")
            .range(1, 1e12),
        c.frame_budget);
  visit(field("shuffle", "a new order every epoch, decided by training.seed"), c.shuffle);
  visit(
      field("max_bad_fraction", "share of unusable utterances above which a run stops").range(0, 1),
      c.max_bad_fraction);
  visit(field("memory_budget", "most memory for batches in flight; auto: a share of what is free")
            .unit("MB")
            .range(1, kMostMegabytes),
        c.memory_budget);
  visit(field("feature_cache",
              "memory that keeps features for later epochs; 0: none; auto: a share of what is free")
            .unit("MB")
            .range(0, kMostMegabytes),
        c.feature_cache);
  visit(field("virtual_gpus", "GPUs emulated on the processor, for machines without")
            .flag("--virtual-gpus")
            .range(0, 64),
        c.virtual_gpus);
  visit(
      field("virtual_gpu_memory", "memory of each virtual GPU; auto: an equal share of the host's")
          .unit("MB")
          .flag("--virtual-gpu-memory")
          .range(1, kMostMegabytes),
      c.virtual_gpu_memory);
  visit(field("enable_memory_isolation", "enforce data_gpu_memory and model_gpu_memory")
            .flag("--enable-memory-isolation"),
        c.enable_memory_isolation);
  visit(field("data_gpu_memory", "budget of the data GPU")
            .unit("MB")
            .flag("--data-gpu-memory")
            .range(1, kMostMegabytes),
        c.data_gpu_memory);
  visit(field("model_gpu_memory", "budget of the model GPU")
            .unit("MB")
            .flag("--model-gpu-memory")
            .range(1, kMostMegabytes),
        c.model_gpu_memory);
  visit(field("allow_fallback", "train on one device when the GPUs asked for are not there")
            .flag("--allow-fallback"),
        c.allow_fallback);
  visit(field("monitor_every",
              "time between looks at processor, memory, storage and GPUs while training, for the "
              "journal; 0: never")
            .unit("s")
            .range(0, 3600),
        c.monitor_every);
}

}  // namespace qanat
