#include <csignal>
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
#include "locale/messages.h"
#include "report/run_history.h"
#include "report/run_text.h"
#include "serve/dashboard.h"
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
  return msg::train_end{.steps = summary.outcome.progress.step,
                        .now = summary.outcome.steps,
                        .why = reason_of(summary.outcome.ending),
                        .folder = summary.checkpoints.string()};
}

class TrainCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data", "model", "training", "pipeline"});
    trace_.declare(flags);
    flags.on("--no-emoji", no_emoji_, msg::help_no_emoji{});
    dashboard_.declare(flags);
    report_.declare_json(flags, msg::help_train_json{});
    flags.footer(
        msg::footer_train{},
        {"qanat train --train-data LJSpeech-1.1 --model-size tiny --batch-size 32",
         "qanat train --train-data LJSpeech-1.1 --virtual-gpus 2 --data-gpu 0 --model-gpu 1"});
  }

  ExitCode run(const CommandContext& context) override {
    std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves ends the output, not the training
    const LoadedConfig config = flags_.load();
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
    ProgressLine measuring(
        context.err, terminal, {.label = msg::progress_measuring{}, .words = context.words});
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
         .starting = [&](std::int64_t first, std::int64_t last) { display.start(first, last); },
         .stop = context.stop,
         .sinks = exports.sinks(),
         .verdicts = TrainRequest::Verdicts::live,
         .on_row = exports.on_row()});
    measuring.finish();
    display.finish();
    if (!summary) {
      context.err << context.words.tr(msg::train_stopped_early{}) << '\n';
      return ExitCode::failed;
    }
    context.err << context.words.tr(describe_end(*summary)) << '\n';
    report_end(context, *summary, exports);
    exports.finish();
    if (report_.json()) {
      context.out << with_steps(*summary, display).dump(2) << '\n';
    }
    return ExitCode::done;
  }

 private:
  static void tell_verdict(const RunExports& exports, const Diagnosis& diagnosis) {
    for (EventSink* sink : exports.sinks()) {
      sink->record(VerdictGiven{.text = fmt::format("```\n{}```\n", render_text(diagnosis))});
    }
  }

  // The verdict in a line, all of it as a page beside the checkpoints.
  void report_end(const CommandContext& context,
                  const TrainSummary& summary,
                  const RunExports& exports) const {
    ProgressLine reading(context.err,
                         detect_terminal(STDERR_FILENO),
                         {.label = msg::progress_reading_journal{},
                          .unit = msg::progress_lines{},
                          .words = context.words});
    const Result<RunRecord> record = read_run_record(summary.journal, reading.fn());
    reading.finish();
    if (!record) {
      if (summary.outcome.steps > 0) {  // else the run was over before its first step
        context.err << context.words.tr(msg::train_no_report{.reason = record.failure().what})
                    << '\n';
      }
      return;
    }
    const Translator words = report_.words();
    const Diagnosis diagnosis = diagnose_run(record.value().summary);
    tell_verdict(exports, diagnosis);
    const std::filesystem::path page = summary.checkpoints / "report.html";
    write_run_page(record.value(), diagnosis, summary.journal, page, words);
    context.err << render_verdict(diagnosis, words) << '\n'
                << words.tr(msg::train_more{.page = page.string(),
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
