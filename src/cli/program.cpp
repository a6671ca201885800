#include "cli/program.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "cli/help_formatter.h"
#include "cli/signal_stop.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "cli/terminal_text.h"
#include "cli/torch_part.h"
#include "cli/usage_error.h"
#include "config/problem.h"
#include "device/device_lost.h"

namespace qanat {
namespace {

struct Registered {
  CLI::App* app = nullptr;
  std::unique_ptr<Command> command;
};

std::string group_summary(const std::string& group) {
  if (group == "config") {
    return "show the configuration of a run, and every key there is";
  }
  if (group == "data") {
    return "make, check and look at data sets";
  }
  if (group == "profile") {
    return "measure the loader, a training step, or two devices against one";
  }
  return "commands for " + group;
}

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& summary) {
  return parent.add_subcommand(name, summary)->group("Commands");
}

CLI::App* subcommand(CLI::App& root, const CommandEntry& entry) {
  const std::string path(entry.path);
  const std::string summary(entry.summary);
  const std::size_t space = path.find(' ');
  if (space == std::string::npos) {
    return add_command(root, path, summary);
  }
  const std::string group = path.substr(0, space);
  const auto named = [&](CLI::App* app) { return app->get_name() == group; };
  const std::vector<CLI::App*> found = root.get_subcommands(named);
  CLI::App* parent = found.empty() ? nullptr : found.front();
  if (parent == nullptr) {
    parent = add_command(root, group, group_summary(group));
    parent->require_subcommand(1);
  }
  return add_command(*parent, path.substr(space + 1), summary);
}

std::vector<Registered> register_commands(CLI::App& root,
                                          const std::vector<CommandEntry>& commands) {
  root.require_subcommand(1);
  root.set_help_flag("-h,--help", "print this and exit");
  root.set_version_flag("--version", QANAT_VERSION, "print the version and exit");
  root.formatter(std::make_shared<HelpFormatter>(detect_terminal(STDOUT_FILENO).width));
  std::vector<Registered> registered;
  for (const CommandEntry& entry : commands) {
    if (entry.make == nullptr) {
      subcommand(root, entry);  // in the other program; for --help
      continue;
    }
    Registered one{.app = subcommand(root, entry), .command = entry.make()};
    one.command->declare(*one.app);
    registered.push_back(std::move(one));
  }
  root.footer(  // last: commands would inherit it
      "`qanat COMMAND --help` shows the flags of a command.\n"
      "Exit codes: 0 done, 1 failed, 2 usage, 3 cannot measure, 10 findings, 11 regression,\n"
      "12 hardware fault, 128 + signal when stopped after saving.");
  return registered;
}

// --help and --version are results; everything else went wrong and goes to stderr.
int answer_parse_error(const CLI::App& root, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    return root.exit(error, std::cout, std::cerr);
  }
  const CLI::App& reached = reached_command(root);
  const bool is_group = !reached.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (is_group && root.remaining(true).empty()) {
    const CLI::App* parent = reached.get_parent();
    std::cerr << reached.help(parent == nullptr ? "" : command_path(*parent));
  } else {
    std::cerr << "qanat: " << explain_usage_error(root, error) << '\n';
  }
  return static_cast<int>(ExitCode::usage);
}

int parse_and_run(const std::vector<CommandEntry>& commands, int argc, char** argv) {
  const SignalStop signals;
  CLI::App root("Qanat trains XTTS-style text-to-speech models and keeps the GPU busy.", "qanat");
  const std::vector<Registered> registered = register_commands(root, commands);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return answer_parse_error(root, error);
  }
  for (const Registered& one : registered) {
    if (one.app->parsed()) {
      const ExitCode code =
          one.command->run({.stop = signals.token(), .out = std::cout, .err = std::cerr});
      return signals.signal() != 0 ? 128 + signals.signal() : static_cast<int>(code);
    }
  }
  return static_cast<int>(ExitCode::usage);
}

int complain(std::string_view what, ExitCode code) {
  std::cerr << "qanat: " << what << '\n';
  return static_cast<int>(code);
}

// Problems stand at the beginning of their lines, where editors look for file:line.
int complain_of_config(const ConfigError& error) {
  const std::size_t count = error.problems().size();
  std::cerr << error.what() << '\n';
  return complain(std::to_string(count) + (count == 1 ? " problem" : " problems") +
                      " in the configuration; nothing was run",
                  ExitCode::usage);
}

int run_guarded(const std::vector<CommandEntry>& commands, int argc, char** argv) {
  try {
    if (needs_torch_part(commands, argc, argv)) {
      become_torch_part(argv);
    }
    return parse_and_run(commands, argc, argv);
  } catch (const ConfigError& error) {
    return complain_of_config(error);
  } catch (const UsageError& error) {
    return complain(error.what(), ExitCode::usage);
  } catch (const DeviceLost& error) {
    return complain(error.what(), ExitCode::hardware_fault);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", ExitCode::failed);
  } catch (const std::exception& error) {
    return complain(error.what(), ExitCode::failed);
  }
}

}  // namespace

int run_program(const std::vector<CommandEntry>& commands, int argc, char** argv) {
  const HarmlessStream out(std::cout);
  const HarmlessStream err(std::cerr);
  const int code = run_guarded(commands, argc, argv);
  if (!std::cout.flush()) {
    // A result that did not arrive is no result: disk full, closed stdout.
    return complain(std::string("cannot write to stdout: ") + std::strerror(errno),
                    ExitCode::failed);
  }
  return code;
}

}  // namespace qanat
