// The modes that a demonstration compares.
#pragma once

#include <string>
#include <vector>

#include "config/load_config.h"

namespace qanat {

struct TrainingMode {
  std::string name;
  std::string folder;              // below the demonstration's
  std::vector<std::string> flags;  // of `qanat train`, for those who want to do the same
  LoadedConfig config;
};

// Unbuffered serial, Single-GPU Buffered, and Multi-GPU on two virtual GPUs; `config` is what they
// have in common.
std::vector<TrainingMode> training_modes(const LoadedConfig& config);

}  // namespace qanat
