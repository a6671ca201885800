// A short training in one of the modes that a demonstration compares, measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "config/load_config.h"
#include "report/mode_table.h"
#include "report/words.h"

namespace qanat {

struct TrainingMode {
  std::string name;
  std::string folder;              // below the demonstration's
  std::vector<std::string> flags;  // of `qanat train`, for those who want to do the same
  LoadedConfig config;
};

// Unbuffered serial, Single-GPU Buffered, and Multi-GPU on two virtual GPUs; `config` is what they
// have in common.
std::vector<TrainingMode> compared_modes(const LoadedConfig& config);

struct ModeRunRequest {
  TrainingMode mode;
  std::int64_t steps = 100;
  std::filesystem::path folder;  // of the demonstration; takes <mode>/journal.jsonl, report.html
  Words words{};                 // of the page
  ProgressFn progress{};         // steps
  std::stop_token stop{};
};

// Nothing when it was stopped before its last step. Throws Error as run_training() does.
std::optional<ModeRow> run_mode(const ModeRunRequest& request);

}  // namespace qanat
