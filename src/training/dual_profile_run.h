// Runs the real trainer on two devices and on one, in turns, to see whether the pair pays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/progress.h"
#include "config/load_config.h"
#include "diagnose/dual_profile.h"

namespace qanat {

struct DualProfileRequest {
  LoadedConfig config;
  std::int64_t steps = 40;  // of each run
  int rounds = 3;           // of both modes; fewer carry no verdict
  // Takes the journals, dual-1/, single-1/, ...; empty: they are not kept.
  std::filesystem::path folder{};
  std::function<void(const std::string&)> say{};
  ProgressFn progress{};  // steps of all runs
  std::stop_token stop{};
};

// The two devices of a configuration that names none: GPU 0 makes features and GPU 1 trains; they
// are emulated where there are no two. `say` is told so.
LoadedConfig with_two_devices(LoadedConfig config,
                              const std::function<void(const std::string&)>& say);

// What was measured until it was done or stopped; nothing when not both modes were run. Throws
// Error when the devices asked for are not there.
std::optional<DualProfile> run_dual_profile(const DualProfileRequest& request);

}  // namespace qanat
