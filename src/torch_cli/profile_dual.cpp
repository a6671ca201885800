#include <optional>
#include <string>

#include <unistd.h>

#include "cli/config_flags.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "report/profile_report.h"
#include "torch_cli/torch_commands.h"
#include "training/dual_profile_run.h"

namespace qanat {
namespace {

class ProfileDualCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    flags_.declare(app, {"data", "model", "training", "pipeline"});
    app.add_option("--num-steps", steps_, "steps of each run")
        ->check(CLI::Range(2, 10'000'000).description(""))
        ->type_name("N")
        ->capture_default_str();
    app.add_option(
           "--rounds", rounds_, "runs of each of the two modes, in turns; a verdict needs 3")
        ->check(CLI::Range(1, 1000).description(""))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--keep", keep_, "keep the journals in this folder")->type_name("DIR");
    report_.declare_fail_on(app);
    report_.declare_language(app);
    report_.declare_json(app);
    app.footer(
        "Trains on two devices and on one, in turns, and says which is faster here. Without\n"
        "--data-gpu and --model-gpu, GPU 0 makes features and GPU 1 trains; where there are no\n"
        "two GPUs, two are emulated on the processor. Ctrl-C shows what there is.\n"
        "Example: qanat profile dual --train-data LJSpeech-1.1 --data-gpu 0 --model-gpu 1");
  }

  ExitCode run(const CommandContext& context) override {
    ProgressLine progress(
        context.err, detect_terminal(STDERR_FILENO), {.label = "training", .unit = "steps"});
    const std::optional<DualProfile> profile =
        run_dual_profile({.config = flags_.load(),
                          .steps = steps_,
                          .rounds = rounds_,
                          .folder = keep_,
                          .say = [&](const std::string& line) { context.err << line << '\n'; },
                          .progress = progress.fn(),
                          .stop = context.stop});
    progress.finish();
    if (!profile) {
      context.err << "stopped before both modes had run; nothing to compare\n";
      return ExitCode::cannot_measure;
    }
    report_.print(context.out, to_document(*profile));
    if (profile->verdict == DualVerdict::incomplete) {
      return ExitCode::cannot_measure;
    }
    return report_.exit_code(profile->diagnosis.findings);
  }

 private:
  ConfigFlags flags_;
  std::int64_t steps_ = 40;
  int rounds_ = 3;
  std::string keep_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_profile_dual_command() {
  return std::make_unique<ProfileDualCommand>();
}

}  // namespace qanat
