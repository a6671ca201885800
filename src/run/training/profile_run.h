// The two profiles that train: where a step spends its time, and whether a second device pays.
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
#include "diagnose/step_profile.h"

namespace qanat {

// Runs the real trainer to see where a step spends its time, and again with batches that stay on
// the device, to see what free data would bring.
struct StepProfileRequest {
  LoadedConfig config;
  std::int64_t steps = 60;  // of each of the two runs
  // Takes the journals, run/ and cached/; empty: they are not kept.
  std::filesystem::path folder{};
  SayFn say{};
  ProgressFn progress{};  // steps of both
  std::stop_token stop{};
};

// What was measured until it was done or stopped; nothing when not a single step was.
std::optional<StepProfile> run_step_profile(const StepProfileRequest& request);

// Runs the real trainer on two devices, on one, and as a replica on each of two, in turns, to see
// what pays.
struct DualProfileRequest {
  LoadedConfig config;
  std::int64_t steps = 40;  // of each run
  int rounds = 3;           // of all modes; fewer carry no verdict
  // Takes the journals, dual-1/, single-1/, replicas-1/, ...; empty: they are not kept.
  std::filesystem::path folder{};
  // Trains the replicas: qanat itself. Empty: they are not measured.
  std::filesystem::path program{};
  SayFn say{};
  ProgressFn progress{};  // steps of all runs
  std::stop_token stop{};
};

// The two devices of a configuration that names none: GPU 0 makes features and GPU 1 trains; they
// are emulated where there are no two. `say` is told so.
LoadedConfig with_two_devices(LoadedConfig config, const SayFn& say);

// What was measured until it was done or stopped; nothing when not both modes were run. Throws
// Error when the devices asked for are not there.
std::optional<DualProfile> run_dual_profile(const DualProfileRequest& request);

}  // namespace qanat
