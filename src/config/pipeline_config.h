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

}  // namespace qanat
