#include "training/train_session.h"

#include <memory>
#include <utility>

#include "replicas/join_group.h"
#include "session/memory_check.h"
#include "session/run_devices.h"
#include "training/init_from.h"
#include "training/replica_agreement.h"
#include "training/replica_start.h"
#include "training/run_identity.h"
#include "training/train_run.h"

namespace qanat {

nlohmann::json to_json(const TrainSummary& summary) {
  nlohmann::json json{{"ending", to_string(summary.outcome.ending)},
                      {"step", summary.outcome.progress.step},
                      {"steps", summary.outcome.steps},
                      {"epoch", summary.outcome.progress.position.epoch},
                      {"mode", to_string(summary.mode)},
                      {"model_device", summary.model_device},
                      {"parameters", summary.parameters},
                      {"utterances", summary.utterances},
                      {"skipped_steps", summary.outcome.progress.skipped_steps},
                      {"checkpoints", summary.checkpoints.string()},
                      {"journal", summary.journal.string()}};
  if (summary.resumed_from) {
    json["resumed_from"] = *summary.resumed_from;
  }
  if (!summary.init_from.is_null()) {
    json["init_from"] = summary.init_from;
  }
  if (summary.outcome.progress.best_score) {
    json["best"] = {{"score", *summary.outcome.progress.best_score},
                    {"step", summary.outcome.progress.best_step}};
  }
  return json;
}

namespace {

// What vocoder.mel_from names. All processes take what the first one finds: meanwhile the run that
// makes it may save another.
std::optional<MelSource> share_mel_source(const TrainRequest& request, ProcessGroup& group) {
  const RunConfig& config = request.config.values;
  if (!reads_predicted_mel(config)) {
    return std::nullopt;
  }
  nlohmann::json shared;
  if (group.rank().rank == 0) {
    const MelSource found = find_mel_source(
        *config.vocoder.mel_from, [&](const Message& text) { request.observer.on_note(text); });
    shared = {
        {"folder", shared_path(found.folder)}, {"step", found.step}, {"identity", found.identity}};
  }
  shared = nlohmann::json::parse(group.share(shared.dump()));
  return MelSource{.folder = to_path(shared.at("folder")),
                   .step = shared.at("step").get<std::int64_t>(),
                   .identity = shared.at("identity").get<std::uint64_t>()};
}

std::optional<TrainSummary> run_in_group(const TrainRequest& request,
                                         ProcessGroup& group,
                                         const DevicePlan& plan) {
  const RunConfig& config = request.config.values;
  const ProcessRank place = group.rank();
  check_same(group, setting_facts(config));
  if (place.world > 1 && request.group == nullptr) {
    divide_cores(group, request.place.secret.empty() ? &request.observer : nullptr);
  }
  const nlohmann::json state = nlohmann::json::parse(
      group.share(place.rank == 0 ? newest_state(config.training).dump() : ""));
  if (place.rank == 0 && state.is_null()) {
    check_initial(config);
  }
  const std::optional<MelSource> mel_from = share_mel_source(request, group);
  std::optional<TrainInputs> inputs;
  if (request.inputs != nullptr) {
    inputs = *request.inputs;
  } else {
    take_turns(group, request.place.local_rank, [&](FileCheck files) {
      inputs =
          load_train_inputs(config, request.measuring, request.stop, stored_splits(state), files);
      const auto is_stored = [](const std::shared_ptr<const UtteranceSet>& set) {
        return set == nullptr || set->index.origin.is_cached;
      };
      return !inputs                                                     ? Loaded::no
             : is_stored(inputs->train) && is_stored(inputs->validation) ? Loaded::and_stored
                                                                         : Loaded::yes;
    });
  }
  if (!inputs) {
    group.fail("stopped before its first step");
    return std::nullopt;
  }
  inputs->mel_from = mel_from;
  if (place.rank == 0) {
    for (const MessageArg& note : inputs->notes) {
      request.observer.on_note(note);
    }
  }
  return run_train(
      request,
      {.group = group, .plan = plan, .processes = processes_of(state, config, place.world)},
      *std::move(inputs));
}

}  // namespace

std::optional<TrainSummary> run_training(const TrainRequest& request) {
  check_address_space(address_space_limit());
  const RunConfig& config = request.config.values;
  const ReplicaPlace& place = request.place;
  const DevicePlan plan = plan_devices(
      config, find_hardware(config), {.index = place.local_rank, .count = place.local_world});
  std::unique_ptr<ProcessGroup> joined;
  if (request.group == nullptr) {
    joined = join_group({.place = place,
                         .timeout = config.training.exchange_timeout,
                         .start_timeout = config.training.exchange_timeout,
                         .on_gpu = plan.model.kind == DeviceKind::cuda,
                         .stop = request.stop});
  }
  ProcessGroup& group = request.group != nullptr ? *request.group : *joined;
  try {
    return run_in_group(request, group, plan);
  } catch (const ReplicaLost&) {
    throw;
  } catch (const std::exception& error) {
    group.fail(error.what());
    throw;
  }
}

}  // namespace qanat
