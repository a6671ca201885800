#include "cli/profile_step.h"

#include <optional>
#include <string>

#include <unistd.h>

#include "app/step_profile_run.h"
#include "cli/config_flags.h"
#include "cli/fail_on.h"
#include "cli/progress_line.h"
#include "cli/report_language.h"
#include "cli/terminal.h"
#include "report/profile_report.h"

namespace qanat {
namespace {

class ProfileStepCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    flags_.declare(app, {"data", "model", "training", "pipeline"});
    app.add_option("--num-steps", steps_, "steps of the run, and of the probe after it")
        ->check(CLI::Range(2, 10'000'000).description(""))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--keep", keep_, "keep the journals in this folder")->type_name("DIR");
    declare_fail_on(app, fail_on_);
    declare_language(app, language_);
    app.add_flag("--json", json_, "print one JSON object");
    app.footer(
        "Runs the trainer itself, with the flags it would be given; nothing is saved. A second\n"
        "run keeps batches on the device and so measures what free data would bring, beside what\n"
        "the first one predicts. Ctrl-C shows what there is.\n"
        "Example: qanat profile step --train-data LJSpeech-1.1 --model-size tiny --num-steps 300");
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
    if (json_) {
      context.out << render_json(to_document(*profile)).dump(2) << '\n';
    } else {
      context.out << render_text(to_document(*profile), Words(report_language(language_)));
    }
    if (profile->diagnosis.verdict == VerdictKind::incomplete) {
      return ExitCode::cannot_measure;
    }
    return exit_code_for(profile->diagnosis.findings, fail_on_);
  }

 private:
  ConfigFlags flags_;
  std::int64_t steps_ = 60;
  std::string keep_;
  std::string fail_on_ = "crit";
  std::string language_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_profile_step_command() {
  return std::make_unique<ProfileStepCommand>();
}

}  // namespace qanat
