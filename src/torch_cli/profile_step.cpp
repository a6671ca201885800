#include <optional>
#include <string>

#include <unistd.h>

#include "cli/config_flags.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "locale/messages.h"
#include "report/profile_report.h"
#include "torch_cli/torch_commands.h"
#include "training/profile_run.h"

namespace qanat {
namespace {

class ProfileStepCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data", "model", "training", "pipeline"});
    flags.number("--num-steps", steps_, "N", {2, 1e7}, msg::help_profile_steps{});
    flags.text("--keep", keep_, "DIR", msg::help_keep_journals{});
    report_.declare_fail_on(flags);
    report_.declare_json(flags);
    flags.footer(
        msg::footer_profile_step{},
        {"qanat profile step --train-data LJSpeech-1.1 --model-size tiny --num-steps 300"});
  }

  ExitCode run(const CommandContext& context) override {
    ProgressLine progress(
        context.err, detect_terminal(STDERR_FILENO), {.label = "training", .unit = "steps"});
    const std::optional<StepProfile> profile =
        run_step_profile({.config = flags_.load(),
                          .steps = steps_,
                          .folder = keep_,
                          .say = [&](const std::string& line) { context.err << line << '\n'; },
                          .progress = progress.fn(),
                          .stop = context.stop});
    progress.finish();
    if (!profile) {
      context.err << "stopped before the first step; nothing to report\n";
      return ExitCode::cannot_measure;
    }
    report_.print(context.out, to_document(*profile));
    if (profile->diagnosis.verdict == VerdictKind::incomplete) {
      return ExitCode::cannot_measure;
    }
    return report_.exit_code(profile->diagnosis.findings);
  }

 private:
  ConfigFlags flags_;
  std::int64_t steps_ = 60;
  std::string keep_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_profile_step_command() {
  return std::make_unique<ProfileStepCommand>();
}

}  // namespace qanat
