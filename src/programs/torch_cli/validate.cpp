#include "validation/validate.h"

#include <deque>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/files.h"
#include "cli/config_flags.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "corpus/demo_corpus.h"
#include "launch/replica_place.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "torch_cli/torch_commands.h"
#include "training/measured_run.h"

namespace qanat {
namespace {

constexpr int kUtterances = 24;

// A small corpus that is gone when the command ends.
class TemporaryCorpus {
 public:
  explicit TemporaryCorpus(const CommandContext& context) {
    ProgressLine progress(context, msg::progress_speaking{});
    make_demo_corpus({.folder = path(),
                      .utterances = kUtterances,
                      .mean_seconds = 2.0,
                      .voice = DemoVoiceChoice::built_in,
                      .progress = progress.fn(),
                      .stop = context.stop});
  }
  std::filesystem::path path() const { return folder_.path() / "corpus"; }
  std::filesystem::path cache() const { return folder_.path() / "cache"; }

 private:
  const TemporaryFolder folder_;
};

// Two processes of this program for a moment, as the first one saw it.
std::optional<ModeRun> run_replicas(const CommandContext& context,
                                    const RunConfig& config,
                                    int steps) {
  constexpr int kReplicas = 2;
  constexpr std::size_t kWarmUp = 2;  // as in other short runs
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (has_launcher() || unknown) {
    return std::nullopt;
  }
  const TemporaryFolder folder;
  const std::optional<MeasuredTurn> turn = run_replica_turn(
      {.config = {.values = config, .origins = {}},
       .steps = steps + static_cast<std::int64_t>(kWarmUp),
       .folder = folder.path(),
       .say = [&](const MessageArg& line) { context.err << context.words.said(line) << '\n'; },
       .stop = context.stop},
      program,
      kReplicas);
  if (!turn || turn->run.summary.steps.size() <= kWarmUp) {
    return std::nullopt;
  }
  const std::deque<StepRecord>& all = turn->run.summary.steps;
  StepPhases sum;
  double rows = 0;
  for (std::size_t i = kWarmUp; i < all.size(); ++i) {
    sum += all[i].phases;
    rows += all[i].rows;
  }
  const double wall = sum.total().count();
  return ModeRun{.mode = "replicas",
                 .steps_per_s = static_cast<double>(all.size() - kWarmUp) / wall,
                 .rows_per_s = rows / wall,
                 .wait_share = sum.wait.count() / wall,
                 .model_busy = sum.busy().count() / wall,
                 .data_busy = std::nullopt,
                 .first_loss = all.front().losses.total,
                 .last_loss = all.back().losses.total,
                 .device_cores = turn->run.device_cores,
                 .others_share = turn->run.others_share};
}

class ValidateCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data", "pipeline", "model.size", "training.task", "vocoder"});
    flags.number("--steps", steps_, "N", {2, 100'000}, msg::help_validate_steps{});
    report_.declare_json(flags);
    flags.footer(msg::footer_validate{},
                 {"qanat validate --virtual-gpus 2 --data-gpu 0 --model-gpu 1 --data LJSpeech"});
  }

  ExitCode run(const CommandContext& context) override {
    const LoadedConfig loaded = flags_.load();
    RunConfig config = loaded.values;
    if (!loaded.origins.contains("model.size")) {
      config.model.size = ModelSize::nano;  // the runs are short
    }
    std::optional<TemporaryCorpus> corpus;
    if (!config.data.train_data) {
      corpus.emplace(context);
      config.data.train_data = corpus->path().string();
      config.data.cache_dir = corpus->cache().string();
      config.data.batch_size = std::min(config.data.batch_size, kUtterances / 3);
    }
    if (context.stop.stop_requested()) {
      tell(context, msg::stopped_before_measured{});
      return ExitCode::failed;
    }
    const ValidationReport report = run_checks(context, config);
    if (report_.json()) {
      context.out << to_json(report).dump(2) << '\n';
    } else {
      context.out << render_summary(report, report_.words());
    }
    if (report.device_lost) {
      return ExitCode::hardware_fault;
    }
    return report.passed() ? ExitCode::done : ExitCode::failed;
  }

 private:
  ValidationReport run_checks(const CommandContext& context, const RunConfig& config) const {
    std::optional<ProgressLine> training;  // between two checks
    const auto restart = [&] {
      training.emplace(context, msg::progress_training_a_moment{}, msg::progress_steps{});
    };
    return validate({.config = config,
                     .steps = steps_,
                     .stop = context.stop,
                     .on_check =
                         [&](const ValidationCheck& check) {
                           training.reset();
                           (report_.json() ? context.err : context.out)
                               << render_check(check, report_.words()) << std::flush;
                         },
                     .progress =
                         [&](std::int64_t done, std::int64_t total) {
                           if (done == 1) {
                             restart();
                           }
                           training->update(done, total);
                         },
                     .run_replicas =
                         [&](const RunConfig& one) {
                           training.reset();  // what they say stands on lines of its own
                           return run_replicas(context, one, steps_);
                         }});
  }

  ConfigFlags flags_;
  int steps_ = 10;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_validate_command() {
  return std::make_unique<ValidateCommand>();
}

}  // namespace qanat
