// qanat-torch: every command; started by qanat for those that need libtorch.
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/program.h"
#include "cli/torch_part.h"
#include "locale/messages/command_errors.h"
#include "session/adaptive_waits.h"
#include "torch_cli/torch_commands.h"

int main(int argc, char** argv) {
  qanat::restart_with_torch_environment(argv);
  const qanat::Translator words = qanat::asked_words(argc, argv);
  const std::unique_ptr<qanat::AdaptiveWaits> waits =
      qanat::make_adaptive_waits([words](const qanat::Message& note) {
        std::cerr << words.tr(qanat::msg::note{.text = note}) + '\n';
      });
  const qanat::TorchCommands commands{
      .align = qanat::make_align_command,
      .analyze = qanat::make_analyze_command,
      .completion = qanat::make_completion_command,
      .demo = qanat::make_demo_command,
      .devices = qanat::make_devices_command,
      .diagnose = qanat::make_diagnose_command,
      .export_voice = qanat::make_export_command,
      .manual = qanat::make_manual_command,
      .profile_dual = qanat::make_profile_dual_command,
      .profile_step = qanat::make_profile_step_command,
      .selftest = qanat::make_selftest_command,
      .serve = qanat::make_serve_command,
      .synth = qanat::make_synth_command,
      .train = qanat::make_train_command,
      .validate = qanat::make_validate_command,
  };
  return qanat::run_program(qanat::all_commands(commands), argc, argv);
}
