#include "training/profile_run.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "locale/messages.h"
#include "session/run_devices.h"
#include "training/measured_run.h"

namespace qanat {
namespace {

// Of the probe: enough different batches to stand for all, each kept for a few steps.
int uses_of_batch(std::int64_t steps) {
  constexpr std::int64_t kDifferentBatches = 16;
  constexpr std::int64_t kMinUses = 4;
  return static_cast<int>(std::max(kMinUses, steps / kDifferentBatches));
}

std::optional<MeasuredRun> run_part(const StepProfileRequest& request, const char* name) {
  const bool cached = std::string_view(name) == "cached";
  MeasuredRunRequest part{.config = request.config,
                          .steps = request.steps,
                          .folder = request.folder.empty() ? "" : request.folder / name,
                          .say = cached ? nullptr : request.say,
                          .stop = request.stop};
  if (cached) {
    part.uses_of_batch = uses_of_batch(request.steps);
    // Little is loaded ahead: what the loader does beside the steps would not be free.
    part.config.values.data.pipeline_buffer_size = 2;
    part.config.origins["data.pipeline_buffer_size"] = "the cached-batch probe";
  }
  if (request.progress) {
    part.progress = [&request, before = cached ? request.steps : 0](std::int64_t done,
                                                                    std::int64_t) {
      request.progress(before + done, 2 * request.steps);
    };
  }
  return run_measured(part);
}

LoadedConfig with_one_device(LoadedConfig config) {
  config.values.data.data_gpu.reset();
  config.values.data.model_gpu.reset();
  config.origins.erase("data.data_gpu");
  config.origins.erase("data.model_gpu");
  return config;
}

std::optional<DualRun> run_once(const DualProfileRequest& request,
                                const LoadedConfig& config,
                                const std::filesystem::path& folder,
                                std::int64_t steps_before) {
  MeasuredRunRequest part{
      .config = config, .steps = request.steps, .folder = folder, .stop = request.stop};
  if (request.progress) {
    part.progress = [&](std::int64_t done, std::int64_t) {
      request.progress(steps_before + done, 2 * request.rounds * request.steps);
    };
  }
  std::optional<MeasuredTurn> turn = run_turn(part);
  return turn ? std::optional(std::move(turn->run)) : std::nullopt;
}

}  // namespace

std::optional<StepProfile> run_step_profile(const StepProfileRequest& request) {
  const std::optional<MeasuredRun> run = run_part(request, "run");
  if (!run) {
    return std::nullopt;
  }
  const std::optional<MeasuredRun> cached =
      request.stop.stop_requested() ? std::nullopt : run_part(request, "cached");
  return profile_step(run->run_summary, cached ? &cached->run_summary : nullptr);
}

LoadedConfig with_two_devices(LoadedConfig config, const SayFn& say) {
  DataConfig& data = config.values.data;
  if (data.data_gpu || data.model_gpu) {
    return config;
  }
  data.data_gpu = 0;
  data.model_gpu = 1;
  const Hardware found = find_hardware(config.values);
  if (found.cuda_gpus < 2 && found.virtual_gpus < 2) {
    config.values.pipeline.virtual_gpus = 2;
    if (say) {
      say(msg::profile_emulated{});
    }
  }
  return config;
}

std::optional<DualProfile> run_dual_profile(const DualProfileRequest& request) {
  std::optional<TemporaryFolder> temporary;
  if (request.folder.empty()) {
    temporary.emplace();
  }
  const std::filesystem::path folder = temporary ? temporary->path() : request.folder;
  const LoadedConfig two = with_two_devices(request.config, request.say);
  const LoadedConfig one = with_one_device(two);
  std::vector<DualRun> dual;
  std::vector<DualRun> single;
  for (int i = 0; i < 2 * request.rounds && !request.stop.stop_requested(); ++i) {
    const bool is_dual = i % 4 == 0 || i % 4 == 3;  // two, one, one, two: neither is always first
    const std::string name = fmt::format("{}-{}", is_dual ? "dual" : "single", i / 2 + 1);
    std::optional<DualRun> run =
        run_once(request, is_dual ? two : one, folder / name, i * request.steps);
    if (run) {
      (is_dual ? dual : single).push_back(*std::move(run));
    }
  }
  if (dual.empty() || single.empty()) {
    return std::nullopt;
  }
  DualProfile profile = profile_dual(dual, single);
  profile.emulated = find_hardware(two.values).cuda_gpus == 0;
  return profile;
}

}  // namespace qanat
