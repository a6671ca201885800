#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run_page.h"
#include "base/files.h"
#include "base/value_or_throw.h"
#include "cli/commands.h"
#include "cli/config_flags.h"
#include "cli/profile_frame.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "config/field_list.h"
#include "experiment/data_profile_run.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "metrics/journal.h"
#include "report/profile_report.h"

namespace qanat {
namespace {

class ProfileDataCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data", "pipeline", "training.seed"});
    flags.number("--num-batches", batches_, "N", {2, 1e7}, msg::help_num_batches{});
    flags.number("--step-ms", step_, "MS", {0.01, 1e6}, msg::help_profile_step_ms{});
    declare_sweep(flags);
    report_.declare_fail_on(flags);
    report_.declare_json(flags);
    flags.footer(msg::footer_profile_data{},
                 {"qanat profile data --data LJSpeech-1.1 --step-ms 45",
                  "qanat profile data --data LJSpeech-1.1 --benchmark --budget 60"});
  }

  ExitCode run(const CommandContext& context) override {
    const RunConfig config = flags_.load_with_data().values;
    ProgressLine reading(context, msg::progress_measuring{});
    const std::optional<ProfiledSet> data = load_profiled_set(config, reading.fn(), context.stop);
    reading.finish();
    if (!data) {
      tell(context, msg::stopped_before_measured{});
      return ExitCode::failed;
    }
    return benchmark_ ? sweep(config, *data, context) : profile(config, *data, context);
  }

 private:
  void declare_sweep(Flags& flags) {
    flags.on("--benchmark", benchmark_, msg::help_benchmark{});
    flags
        .number("--sweep-batch-sizes",
                sweep_batches_,
                "N,N,...",
                {1, 65'536},
                msg::help_sweep_batches{})
        ->delimiter(',');
    flags
        .number("--sweep-workers", sweep_workers_, "N,N,...", {1, 1024}, msg::help_sweep_workers{})
        ->delimiter(',');
    flags.text("--keep", keep_, "DIR", msg::help_sweep_keep{});
    flags.number("--budget", budget_, "S", {0.1, 1e6}, msg::help_sweep_budget{});
  }

  std::optional<Seconds> step() const {
    return step_ ? std::optional(Seconds(*step_ / 1000)) : std::nullopt;
  }

  ExitCode profile(const RunConfig& config,
                   const ProfiledSet& data,
                   const CommandContext& context) const {
    return run_profile(
        context,
        report_,
        {.label = msg::progress_taking_batches{},
         .unit = msg::progress_batches{},
         .stopped = msg::stopped_before_batches{}},
        [&](StageLines&, const ProgressFn& progress) -> std::optional<DataProfile> {
          std::optional<DataMeasurement> measured = measure_loader({.config = config,
                                                                    .data = data,
                                                                    .batches = batches_,
                                                                    .step = step(),
                                                                    .progress = progress,
                                                                    .stop = context.stop});
          return measured ? std::optional(profile_data(*std::move(measured))) : std::nullopt;
        });
  }

  ExitCode sweep(const RunConfig& config,
                 const ProfiledSet& data,
                 const CommandContext& context) const {
    ProgressLine visiting(context, msg::progress_sweeping{}, msg::progress_visits{});
    const HostFacts host = read_host_facts();
    const std::unique_ptr<RunJournal> journal = make_journal(config);
    const SweepReport report = sweep_loader(
        {.config = config,
         .data = data,
         .batches = sweep_batches_.empty() ? default_sweep_batches(config) : sweep_batches_,
         .workers = sweep_workers_.empty() ? default_sweep_workers(host) : sweep_workers_,
         .step = step(),
         .budget = Seconds(budget_),
         .progress = visiting.fn(),
         .stop = context.stop,
         .host = host,
         .journal = journal.get()});
    visiting.finish();
    if (journal) {
      write_page(context);
    }
    report_.print(context.out, to_document(report));
    return report.choice ? ExitCode::done : ExitCode::cannot_measure;
  }

  std::filesystem::path folder() const { return keep_; }

  // Nothing when the sweep is not to be kept.
  std::unique_ptr<RunJournal> make_journal(const RunConfig& config) const {
    if (keep_.empty()) {
      return nullptr;
    }
    make_folders(folder(), "--keep");
    return std::make_unique<RunJournal>(
        folder() / "journal.jsonl",
        SessionStart{.command = "profile data", .config = to_json(config)});
  }

  void write_page(const CommandContext& context) const {
    const std::filesystem::path journal = folder() / "journal.jsonl";
    const RunRecord record = value_or_throw(read_run_record(journal));
    write_run_page(
        record, diagnose_run(record.summary), journal, folder() / "report.html", report_.words());
    tell(context,
         msg::kept_in{.files = std::vector<std::string>{journal.string(),
                                                        (folder() / "report.html").string()}});
  }

  ConfigFlags flags_;
  std::int64_t batches_ = 300;
  std::optional<double> step_;
  bool benchmark_ = false;
  std::vector<int> sweep_batches_;
  std::vector<int> sweep_workers_;
  double budget_ = 60;
  std::string keep_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_profile_data_command() {
  return std::make_unique<ProfileDataCommand>();
}

}  // namespace qanat
