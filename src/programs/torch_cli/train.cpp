#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/run_exports.h"
#include "app/run_page.h"
#include "cli/config_flags.h"
#include "cli/dashboard_flags.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "cli/trace_flags.h"
#include "config/field_list.h"
#include "diagnose/diagnosis.h"
#include "history/run_history.h"
#include "launch/children.h"
#include "launch/replica_place.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/devices.h"
#include "locale/messages/file_errors.h"
#include "locale/messages/help.h"
#include "locale/messages/training.h"
#include "report/run_text.h"
#include "serve/dashboard.h"
#include "session/run_devices.h"
#include "torch_cli/torch_commands.h"
#include "torch_cli/train_display.h"
#include "training/train_session.h"

namespace qanat {
namespace {

// What was asked for, in one line.
Message describe_config(const LoadedConfig& config) {
  std::vector<std::string> given;
  for (const FieldEntry& field : list_fields(config.values)) {
    if (config.origins.contains(field.key)) {
      given.push_back(fmt::format("{}={}", field.key, field.value));
    }
  }
  return given.empty() ? Message(msg::train_config_default{})
                       : Message(msg::train_config{.given = fmt::to_string(fmt::join(given, " "))});
}

Message reason_of(TrainEnding ending) {
  switch (ending) {
    case TrainEnding::max_steps:
      return msg::train_end_max_steps{};
    case TrainEnding::all_epochs:
      return msg::train_end_epochs{};
    case TrainEnding::early_stop:
      return msg::train_end_early_stop{};
    case TrainEnding::stopped:
      break;
  }
  return msg::train_end_stopped{};
}

Message describe_end(const TrainSummary& summary) {
  const std::int64_t steps = summary.outcome.progress.step;
  const std::int64_t now = summary.outcome.steps;
  const Message why = reason_of(summary.outcome.ending);
  const std::string folder = summary.checkpoints.string();
  return summary.has_checkpoints
             ? Message(msg::train_end{.steps = steps, .now = now, .why = why, .folder = folder})
             : msg::train_end_unsaved{.steps = steps, .now = now, .why = why, .folder = folder};
}

// The arguments this process was started with, for others like it.
std::vector<std::string> own_command() {
  std::vector<std::string> command;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string argument; std::getline(file, argument, '\0');) {
    command.push_back(std::move(argument));
  }
  if (!command.empty()) {
    command[0] = std::filesystem::read_symlink("/proc/self/exe").string();
  }
  return command;
}

// Wrong variables are a mistake of the command line.
ReplicaPlace own_place() {
  try {
    return read_replica_place();
  } catch (const MessageError& error) {
    throw UsageError(error.message());
  }
}

// Shows work that may never begin: the line is made when it does, and finished when it is done.
ProgressFn line_of_work(const CommandContext& context,
                        std::optional<ProgressLine>& line,
                        const Message& label) {
  return [&context, &line, label](std::int64_t done, std::int64_t total) {
    if (!line) {
      line.emplace(context, label);
    }
    line->update(done, total);
    if (done == total) {
      line->finish();
    }
  };
}

// A run that is given no name is called as its folder.
LoadedConfig named(LoadedConfig config) {
  TrainingConfig& training = config.values.training;
  if (!training.name) {
    const std::filesystem::path folder =
        (std::filesystem::absolute(training.checkpoint_dir) / "").lexically_normal();
    training.name = folder.parent_path().filename().string();
  }
  return config;
}

// Prints for a process that is not the first only what its log has to say.
class RankObserver : public TrainObserver {
 public:
  RankObserver(const CommandContext& context, int rank) : context_(context), rank_(rank) {}

  void on_note(const MessageArg& note) override {
    const std::lock_guard lock(mutex_);
    tell(context_, msg::launch_line{.rank = rank_, .line = note});
  }

 private:
  const CommandContext& context_;
  const int rank_;
  std::mutex mutex_;  // one line at a time
};

class TrainCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data", "model", "training", "vocoder", "pipeline"});
    trace_.declare(flags);
    flags.on("--no-emoji", no_emoji_, msg::help_no_emoji{});
    dashboard_.declare(flags);
    report_.declare_json(flags, msg::help_train_json{});
    flags.footer(
        msg::footer_train{},
        {"qanat train --data LJSpeech-1.1 --model-size tiny --batch-size 32",
         "qanat train --data LJSpeech-1.1 --virtual-gpus 2 --data-gpu 0 --model-gpu 1",
         "qanat train --data LJSpeech-1.1 --processes 2",
         "qanat train --task vocoder --data LJSpeech-1.1 --checkpoint-dir checkpoints/vocoder",
         "torchrun --no-python --nproc-per-node 2 qanat train --data LJSpeech-1.1"});
  }

  ExitCode run(const CommandContext& context) override {
    std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves ends the output, not the training
    const LoadedConfig config = named(flags_.load_with_data());
    if (config.values.training.processes > 1 && !has_launcher()) {
      return run_processes(context, config.values.training);
    }
    const ReplicaPlace place = own_place();
    return place.rank == 0 ? run_first(context, config, place) : run_other(context, config, place);
  }

 private:
  static ExitCode run_processes(const CommandContext& context, const TrainingConfig& training) {
    constexpr Seconds kToName{20.0};  // beyond the timeout, until all have said who is gone
    const std::filesystem::path logs = std::filesystem::path(training.checkpoint_dir) / "ranks";
    if (const std::size_t cores = usable_cores(read_host_facts()).size();
        static_cast<std::size_t>(training.processes) > cores) {
      tell(context, msg::replicas_share_cores{.processes = training.processes, .cores = cores});
    }
    tell(context, msg::launch_started{.processes = training.processes, .folder = logs.string()});
    const int code = run_children({.count = training.processes,
                                   .command = own_command(),
                                   .logs = logs,
                                   .patience = training.exchange_timeout + kToName,
                                   .stop = context.stop,
                                   .say = [&](const Message& line) { tell(context, line); }});
    return static_cast<ExitCode>(code);
  }

  static ExitCode run_other(const CommandContext& context,
                            const LoadedConfig& config,
                            const ReplicaPlace& place) {
    RankObserver observer(context, place.rank);
    const std::optional<TrainSummary> summary =
        run_training({.config = config,
                      .observer = observer,
                      .say = [](const MessageArg& /*line*/) {},
                      .measuring = {},
                      .starting = [](std::int64_t /*first*/, std::int64_t /*last*/) {},
                      .stop = context.stop,
                      .place = place});
    return summary ? ExitCode::done : ExitCode::failed;
  }

  ExitCode run_first(const CommandContext& context,
                     const LoadedConfig& config,
                     const ReplicaPlace& place) {
    const Terminal terminal = detect_terminal(STDERR_FILENO);
    TrainDisplay display(context.err,
                         terminal,
                         {.log_every = config.values.training.log_every, .words = context.words});
    display.say(describe_config(config));
    const auto page =
        dashboard_.wanted()
            ? dashboard_.start(
                  std::filesystem::path(config.values.training.checkpoint_dir) / "journal.jsonl",
                  report_.words(),
                  context.err)
            : nullptr;
    RunExports exports({.tensorboard = tensorboard_folder(config.values.training),
                        .trace = trace_.file(),
                        .trace_options = trace_.options()},
                       [&](const MessageArg& line) { display.say(line); });
    ProgressLine measuring(context, msg::progress_measuring{});
    std::optional<ProgressLine> predicting;
    const std::optional<TrainSummary> summary = run_training(
        {.config = config,
         .symbols = terminal.unicode && !no_emoji_ ? Symbols::emoji : Symbols::plain,
         .observer = display,
         .say =
             [&](const MessageArg& line) {
               measuring.finish();
               display.say(line);
             },
         .measuring = measuring.fn(),
         .predicting = line_of_work(context, predicting, msg::progress_predicting{}),
         .starting = [&](std::int64_t first, std::int64_t last) { display.start(first, last); },
         .stop = context.stop,
         .sinks = exports.sinks(),
         .verdicts = TrainRequest::Verdicts::live,
         .place = place,
         .on_row = exports.on_row()});
    measuring.finish();
    predicting.reset();
    display.finish();
    if (!summary) {
      tell(context, msg::train_stopped_early{});
      return ExitCode::failed;
    }
    tell(context, describe_end(*summary));
    report_end(context, *summary, exports);
    exports.finish();
    if (report_.json()) {
      context.out << with_steps(*summary, display).dump(2) << '\n';
    }
    return ExitCode::done;
  }

  static void tell_verdict(const RunExports& exports, const Diagnosis& diagnosis) {
    for (EventSink* sink : exports.sinks()) {
      sink->record(VerdictGiven{.text = fmt::format("```\n{}```\n", render_text(diagnosis))});
    }
  }

  // The verdict in a line, all of it as a page beside the checkpoints.
  void report_end(const CommandContext& context,
                  const TrainSummary& summary,
                  const RunExports& exports) const {
    ProgressLine reading(context, msg::progress_reading_journal{}, msg::progress_lines{});
    const Result<RunRecord> record = read_run_record(summary.journal, reading.fn());
    reading.finish();
    if (!record) {
      if (summary.outcome.steps > 0) {  // else the run was over before its first step
        tell(context, msg::train_no_report{.reason = reason_of(record.failure())});
      }
      return;
    }
    const Translator words = report_.words();
    const Diagnosis diagnosis = diagnose_run(record.value().summary);
    tell_verdict(exports, diagnosis);
    const std::filesystem::path page = summary.checkpoints / "report.html";
    context.err << render_verdict(diagnosis, words) << '\n';
    try {
      write_run_page(record.value(), diagnosis, summary.journal, page, words);
    } catch (const Error& refused) {  // all that the run is for has been saved
      tell(context, msg::file_left_out{.reason = qanat::reason_of(refused)});
      return;
    }
    context.err << words.tr(msg::train_more{.page = page.string(),
                                            .folder = summary.checkpoints.string()})
                << '\n';
  }

  static nlohmann::json with_steps(const TrainSummary& summary, const TrainDisplay& display) {
    nlohmann::json json = to_json(summary);
    if (display.last_loss()) {
      nlohmann::json seconds;
      visit_phases(display.sums(), [&](std::string_view name, Seconds value) {
        seconds[std::string(name)] = value.count();
      });
      json["loss"] = *display.last_loss();
      json["seconds"] = std::move(seconds);
      json["wall"] = display.sums().total().count();
    }
    return json;
  }

  ConfigFlags flags_;
  DashboardFlags dashboard_;
  TraceFlags trace_;
  bool no_emoji_ = false;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace qanat
