#include "training/profile_run.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "locale/messages/training.h"
#include "session/run_devices.h"
#include "training/measured_run.h"

namespace qanat {
namespace {

// The probe needs enough different batches to stand for all, each kept for a few steps.
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

// The ways to use two devices, in turns: none is always first.
class DualRounds {
 public:
  DualRounds(const DualProfileRequest& request, std::filesystem::path folder)
      : request_(request),
        folder_(std::move(folder)),
        two_(with_two_devices(request.config, request.say)),
        one_(with_one_device(two_)) {
    if (!request_.program.empty()) {
      ways_.push_back(Way::replicas);
    }
  }

  void run() {
    for (int round = 0; round < request_.rounds; ++round) {
      for (std::size_t i = 0; i < ways_.size(); ++i) {
        if (request_.stop.stop_requested()) {
          return;
        }
        take_turn(ways_[(i + static_cast<std::size_t>(round)) % ways_.size()], round);
      }
    }
  }

  std::optional<DualProfile> profile() const {
    if (dual_.empty() || single_.empty()) {
      return std::nullopt;
    }
    DualProfile profile = profile_dual(dual_, single_, replicas_);
    profile.emulated = find_hardware(two_.values).cuda_gpus == 0;
    return profile;
  }

 private:
  enum class Way { pair, one, replicas };

  void take_turn(Way way, int round) {
    constexpr int kReplicas = 2;
    const char* const name = way == Way::pair ? "dual" : way == Way::one ? "single" : "replicas";
    MeasuredRunRequest part{.config = way == Way::pair ? two_ : one_,
                            .steps = request_.steps,
                            .folder = folder_ / fmt::format("{}-{}", name, round + 1),
                            .progress = progress(),
                            .stop = request_.stop};
    std::optional<MeasuredTurn> turn;
    if (way == Way::replicas) {
      part.say = request_.say;
      turn = run_replica_turn(part, request_.program, kReplicas);
    } else {
      turn = run_turn(part);
    }
    if (turn) {
      ++turns_;
      (way == Way::pair  ? dual_
       : way == Way::one ? single_
                         : replicas_)
          .push_back(std::move(turn->run));
    } else if (way == Way::replicas) {
      std::erase(ways_, Way::replicas);  // they would fail again
    }
  }

  ProgressFn progress() const {
    if (!request_.progress) {
      return {};
    }
    return [this, before = turns_ * request_.steps](std::int64_t done, std::int64_t) {
      request_.progress(before + done, std::ssize(ways_) * request_.rounds * request_.steps);
    };
  }

  const DualProfileRequest& request_;
  const std::filesystem::path folder_;
  const LoadedConfig two_;
  const LoadedConfig one_;
  std::vector<Way> ways_ = {Way::pair, Way::one};
  std::int64_t turns_ = 0;
  std::vector<DualRun> dual_;
  std::vector<DualRun> single_;
  std::vector<DualRun> replicas_;
};

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
  DualRounds rounds(request, temporary ? temporary->path() : request.folder);
  rounds.run();
  return rounds.profile();
}

}  // namespace qanat
