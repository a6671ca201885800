#include "training/measured_run.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "base/value_or_throw.h"
#include "config/field_list.h"
#include "launch/children.h"
#include "monitor/neighbours.h"
#include "session/run_devices.h"

namespace qanat {
namespace {

class MeasuredObserver : public TrainObserver {
 public:
  explicit MeasuredObserver(const MeasuredRunRequest& request) : request_(request) {}

  void on_note(const MessageArg& note) override { say(note); }
  void on_step(const StepRecord& record) override {
    if (request_.progress) {
      request_.progress(record.step + 1, request_.steps);
    }
  }
  void say(const MessageArg& line) const {
    if (request_.say) {
      request_.say(line);
    }
  }

 private:
  const MeasuredRunRequest& request_;
};

// In a folder that is there.
std::optional<MeasuredRun> run_in(const MeasuredRunRequest& request) {
  MeasuredObserver observer(request);
  std::optional<TrainSummary> summary =
      run_training({.config = measured_config(request),
                    .observer = observer,
                    .say = [&](const MessageArg& line) { observer.say(line); },
                    .measuring = nullptr,
                    .starting = [](std::int64_t, std::int64_t) {},
                    .uses_of_batch = request.uses_of_batch,
                    .stop = request.stop,
                    .inputs = request.inputs,
                    .sinks = request.sinks});
  if (!summary || summary->outcome.steps == 0) {
    return std::nullopt;
  }
  RunRecord record = value_or_throw(read_run_record(summary->journal));
  return MeasuredRun{.summary = *std::move(summary),
                     .run_summary = std::move(record.summary),
                     .history = std::move(record.history)};
}

// What differs from the defaults: of the rest, a replica would say that it has no effect.
std::string changed_yaml(const RunConfig& config) {
  const std::vector<FieldEntry> defaults = list_fields(RunConfig{});
  const std::vector<FieldEntry> fields = list_fields(config);
  std::string text;
  std::string section;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].value == defaults[i].value) {
      continue;
    }
    if (fields[i].section != section) {
      section = fields[i].section;
      text += section + ":\n";
    }
    text += fmt::format("  {}: {}\n", fields[i].spec.name, fields[i].value);
  }
  return text;
}

}  // namespace

LoadedConfig measured_config(const MeasuredRunRequest& request) {
  constexpr int kNeverEnding = 1'000'000'000;
  LoadedConfig config = request.config;
  TrainingConfig& training = config.values.training;
  const auto set = [&config](const char* key, auto& field, auto value) {
    field = std::move(value);
    config.origins[key] = "a measured run";
  };
  set("training.max_steps", training.max_steps, request.steps);
  set("training.epochs", training.epochs, kNeverEnding);
  set("training.checkpoint_dir", training.checkpoint_dir, request.folder.string());
  set("training.resume", training.resume, false);
  set("training.reset_training", training.reset_training, true);
  if (!request.side_work.save) {
    set("training.save_every", training.save_every, 0);
  }
  if (!request.side_work.validate) {
    set("training.validation_batches", training.validation_batches, 0);
  }
  if (!request.side_work.render) {
    set("training.render_every", training.render_every, 0);
  }
  return config;
}

std::optional<MeasuredRun> run_measured(const MeasuredRunRequest& request) {
  if (!request.folder.empty()) {
    return run_in(request);
  }
  const TemporaryFolder folder;
  MeasuredRunRequest elsewhere = request;
  elsewhere.folder = folder.path();
  return run_in(elsewhere);
}

std::optional<MeasuredTurn> run_replica_turn(const MeasuredRunRequest& request,
                                             const std::filesystem::path& program,
                                             int processes) {
  const NeighbourWatch watch;
  make_folders(request.folder.string(), "--keep");
  const std::filesystem::path file = request.folder / "replicas.yaml";
  write_text_file(file, changed_yaml(measured_config(request).values));
  const int code = run_children({.count = processes,
                                 .command = {program.string(), "train", "--config", file.string()},
                                 .logs = request.folder,
                                 .is_quiet = true,
                                 .stop = request.stop,
                                 .say = [&](const Message& line) {
                                   if (request.say) {
                                     request.say(line);
                                   }
                                 }});
  if (code != 0 || request.stop.stop_requested()) {
    return std::nullopt;
  }
  if (request.progress) {
    request.progress(request.steps, request.steps);
  }
  RunRecord record = value_or_throw(read_run_record(request.folder / "journal.jsonl"));
  const int cores = model_device_cores(request.config.values);
  return MeasuredTurn{.run = {.summary = std::move(record.summary),
                              .others_share = watch.others_share(),
                              .device_cores = std::max(1, cores / processes)},
                      .history = std::move(record.history)};
}

std::optional<MeasuredTurn> run_turn(const MeasuredRunRequest& request) {
  const NeighbourWatch watch;
  std::optional<MeasuredRun> run = run_measured(request);
  if (!run) {
    return std::nullopt;
  }
  const std::optional<double> others = watch.others_share();
  return MeasuredTurn{.run = {.summary = std::move(run->run_summary),
                              .others_share = others,
                              .device_cores = model_device_cores(request.config.values)},
                      .history = std::move(run->history)};
}

}  // namespace qanat
