#include "training/step_profile_run.h"

#include <algorithm>
#include <string_view>

#include "training/measured_run.h"

namespace qanat {
namespace {

// Of the probe: enough different batches to stand for all, each kept for a few steps.
int uses_of_batch(std::int64_t steps) {
  constexpr std::int64_t kDifferentBatches = 16;
  constexpr std::int64_t kFewestUses = 4;
  return static_cast<int>(std::max(kFewestUses, steps / kDifferentBatches));
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

}  // namespace

std::optional<StepProfile> run_step_profile(const StepProfileRequest& request) {
  const std::optional<MeasuredRun> run = run_part(request, "run");
  if (!run) {
    return std::nullopt;
  }
  const std::optional<MeasuredRun> cached =
      request.stop.stop_requested() ? std::nullopt : run_part(request, "cached");
  return profile_step(run->trace, cached ? &cached->trace : nullptr);
}

}  // namespace qanat
