// The commands that need libtorch; cli/commands.h has their place in the table of all.
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_align_command();
std::unique_ptr<Command> make_analyze_command();
std::unique_ptr<Command> make_completion_command();
std::unique_ptr<Command> make_demo_command();
std::unique_ptr<Command> make_devices_command();
std::unique_ptr<Command> make_diagnose_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_manual_command();
std::unique_ptr<Command> make_profile_dual_command();
std::unique_ptr<Command> make_profile_step_command();
std::unique_ptr<Command> make_selftest_command();
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_synth_command();
std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_validate_command();

}  // namespace qanat
