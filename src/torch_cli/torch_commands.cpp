#include "torch_cli/torch_commands.h"

#include <map>

#include "base/error.h"
#include "torch_cli/align.h"
#include "torch_cli/analyze.h"
#include "torch_cli/completion.h"
#include "torch_cli/demo.h"
#include "torch_cli/devices.h"
#include "torch_cli/diagnose.h"
#include "torch_cli/profile_dual.h"
#include "torch_cli/profile_step.h"
#include "torch_cli/selftest.h"
#include "torch_cli/synth.h"
#include "torch_cli/train.h"
#include "torch_cli/validate.h"

namespace qanat {
namespace {

using MakeCommand = std::unique_ptr<Command> (*)();

// By path; commands.cpp has their place in --help and their summary.
std::map<std::string_view, MakeCommand> torch_commands() {
  return {
      {"align", make_align_command},
      {"analyze", make_analyze_command},
      {"completion", make_completion_command},
      {"demo", make_demo_command},
      {"devices", make_devices_command},
      {"diagnose", make_diagnose_command},
      {"manual", make_manual_command},
      {"profile dual", make_profile_dual_command},
      {"profile step", make_profile_step_command},
      {"selftest", make_selftest_command},
      {"synth", make_synth_command},
      {"train", make_train_command},
      {"validate", make_validate_command},
  };
}

}  // namespace

std::vector<CommandEntry> complete_commands() {
  const std::map<std::string_view, MakeCommand> made = torch_commands();
  std::vector<CommandEntry> commands = all_commands();
  for (CommandEntry& entry : commands) {
    if (entry.make != nullptr) {
      continue;
    }
    const auto found = made.find(entry.path);
    if (found == made.end()) {
      throw Error("{}: listed in commands.cpp, and not made in torch_commands.cpp", entry.path);
    }
    entry.make = found->second;
  }
  return commands;
}

}  // namespace qanat
