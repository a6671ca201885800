// The commands of both programs: one table, in the order of --help. One file makes each.
#pragma once

#include <memory>
#include <vector>

#include "cli/command.h"

namespace qanat {

using MakeCommand = std::unique_ptr<Command> (*)();

// The commands that need libtorch. `qanat` has none of them: it lists them where the other program
// is installed, and becomes that one (cli/torch_part.h). It names all of them; one that it forgot
// does not compile.
struct TorchCommands {
  MakeCommand align;
  MakeCommand analyze;
  MakeCommand completion;
  MakeCommand demo;
  MakeCommand devices;
  MakeCommand diagnose;
  MakeCommand export_voice;
  MakeCommand manual;
  MakeCommand profile_dual;
  MakeCommand profile_step;
  MakeCommand selftest;
  MakeCommand serve;
  MakeCommand synth;
  MakeCommand train;
  MakeCommand validate;
};

std::vector<CommandEntry> all_commands(const TorchCommands& torch = {});

std::unique_ptr<Command> make_config_reference_command();
std::unique_ptr<Command> make_config_show_command();
std::unique_ptr<Command> make_data_check_command();
std::unique_ptr<Command> make_data_doctor_command();
std::unique_ptr<Command> make_data_make_demo_command();
std::unique_ptr<Command> make_data_mel_command();
std::unique_ptr<Command> make_data_text_command();
std::unique_ptr<Command> make_evaluate_command();
std::unique_ptr<Command> make_precompute_command();
std::unique_ptr<Command> make_profile_data_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_rules_command();
std::unique_ptr<Command> make_top_command();
std::unique_ptr<Command> make_version_command();
std::unique_ptr<Command> make_watch_command();

}  // namespace qanat
