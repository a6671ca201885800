// Everything MelExtractor computes once from its configuration. Immutable; extractors share it.
#pragma once

#include <cstdint>
#include <vector>

#include "features/fft_plan.h"
#include "features/mel_config.h"
#include "features/mel_kernels.h"

namespace qanat {

class MelTables {
 public:
  // Throws Error naming every problem of `config`.
  MelTables(const MelConfig& config, const MelKernels& kernels);
  MelTables(const MelTables&) = delete;
  MelTables& operator=(const MelTables&) = delete;
  ~MelTables() = default;

  const MelConfig& config() const { return config_; }
  const MelKernels& kernels() const { return kernels_; }
  const MelProgram& program() const { return program_; }

  // Frames one tile serves, and the columns of the tile, a multiple of the lanes.
  int tile_frames() const;
  int tile_columns() const { return tile_columns_; }
  // Columns a frame reaches beyond its own.
  int overhang() const { return (config_.fft_size - 1) / config_.hop; }
  int work_size() const { return plan_.work_size(); }

  // Factor of sample i of a frame at [i % (fft_size / 16) * 16 + i / (fft_size / 16)]: what is used
  // together lies together.
  const float* window() const { return window_.data(); }
  // For samples in units of 2^-15: the same products to the last bit, as the scale is a power of 2.
  const float* pcm16_window() const { return pcm16_window_.data(); }

 private:
  MelConfig config_;
  MelKernels kernels_;
  FftPlan plan_;
  int tile_columns_;
  std::vector<float> window_;
  std::vector<float> pcm16_window_;
  std::vector<TileRun> runs_;
  std::vector<MelBin> bins_;
  std::vector<std::int32_t> side_ends_;
  MelProgram program_;  // points into the fields above
};

}  // namespace qanat
