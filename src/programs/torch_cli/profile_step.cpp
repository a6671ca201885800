#include <string>

#include "cli/config_flags.h"
#include "cli/profile_frame.h"
#include "cli/report_flags.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "torch_cli/torch_commands.h"
#include "training/profile_run.h"

namespace qanat {
namespace {

class ProfileStepCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data", "model", "training", "vocoder", "pipeline"});
    flags.number("--num-steps", steps_, "N", {2, 1e7}, msg::help_profile_steps{});
    flags.text("--keep", keep_, "DIR", msg::help_keep_journals{});
    report_.declare_fail_on(flags);
    report_.declare_json(flags);
    flags.footer(msg::footer_profile_step{},
                 {"qanat profile step --data LJSpeech-1.1 --model-size tiny --num-steps 300"});
  }

  ExitCode run(const CommandContext& context) override {
    return run_profile(context,
                       report_,
                       {.label = msg::progress_training{},
                        .unit = msg::progress_steps{},
                        .stopped = msg::stopped_before_step{}},
                       [&](StageLines& lines, const ProgressFn& progress) {
                         return run_step_profile({.config = flags_.load_with_data(),
                                                  .steps = steps_,
                                                  .folder = keep_,
                                                  .say = lines.say_fn(),
                                                  .progress = progress,
                                                  .stop = context.stop});
                       });
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
