#include "app/training_modes.h"

#include <utility>

namespace qanat {

std::vector<TrainingMode> training_modes(const LoadedConfig& config) {
  TrainingMode serial{.name = "serial, unbuffered",
                      .folder = "serial",
                      .flags = {"--buffer-size 0", "--num-workers 1"},
                      .config = config};
  serial.config.values.data.pipeline_buffer_size = 0;
  serial.config.values.data.num_workers = 1;
  TrainingMode single{
      .name = "Single-GPU Buffered", .folder = "single", .flags = {}, .config = config};
  TrainingMode multi{.name = "Multi-GPU, 2 virtual",
                     .folder = "multi",
                     .flags = {"--virtual-gpus 2", "--data-gpu 0", "--model-gpu 1"},
                     .config = config};
  multi.config.values.pipeline.virtual_gpus = 2;
  multi.config.values.data.data_gpu = 0;
  multi.config.values.data.model_gpu = 1;
  return {std::move(serial), std::move(single), std::move(multi)};
}

}  // namespace qanat
