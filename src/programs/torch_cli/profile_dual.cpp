#include <filesystem>
#include <string>
#include <system_error>

#include "cli/config_flags.h"
#include "cli/profile_frame.h"
#include "cli/report_flags.h"
#include "launch/replica_place.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "torch_cli/torch_commands.h"
#include "training/profile_run.h"

namespace qanat {
namespace {

// For replicas. Nothing where a launcher has already started several: those would be more.
std::filesystem::path own_program() {
  std::error_code unknown;
  return has_launcher() ? "" : std::filesystem::read_symlink("/proc/self/exe", unknown);
}

class ProfileDualCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data", "model", "training", "vocoder", "pipeline"});
    flags.number("--num-steps", steps_, "N", {2, 1e7}, msg::help_num_steps{});
    flags.number("--rounds", rounds_, "N", {1, 1000}, msg::help_dual_rounds{});
    flags.text("--keep", keep_, "DIR", msg::help_keep_journals{});
    report_.declare_fail_on(flags);
    report_.declare_json(flags);
    flags.footer(msg::footer_profile_dual{},
                 {"qanat profile dual --data LJSpeech-1.1 --data-gpu 0 --model-gpu 1"});
  }

  ExitCode run(const CommandContext& context) override {
    return run_profile(context,
                       report_,
                       {.label = msg::progress_training{},
                        .unit = msg::progress_steps{},
                        .stopped = msg::stopped_before_both{}},
                       [&](StageLines& lines, const ProgressFn& progress) {
                         return run_dual_profile({.config = flags_.load_with_data(),
                                                  .steps = steps_,
                                                  .rounds = rounds_,
                                                  .folder = keep_,
                                                  .program = own_program(),
                                                  .say = lines.say_fn(),
                                                  .progress = progress,
                                                  .stop = context.stop});
                       });
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
