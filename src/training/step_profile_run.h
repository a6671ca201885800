// Runs the real trainer to see where a step spends its time, and again with batches that stay on
// the device, to see what free data would bring.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/progress.h"
#include "config/load_config.h"
#include "diagnose/step_profile.h"

namespace qanat {

struct StepProfileRequest {
  LoadedConfig config;
  std::int64_t steps = 60;  // of each of the two runs
  // Takes the journals, run/ and cached/; empty: they are not kept.
  std::filesystem::path folder{};
  std::function<void(const std::string&)> say{};
  ProgressFn progress{};  // steps of both
  std::stop_token stop{};
};

// What was measured until it was done or stopped; nothing when not a single step was.
std::optional<StepProfile> run_step_profile(const StepProfileRequest& request);

}  // namespace qanat
