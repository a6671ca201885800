// Builds the command line from the list of commands and runs the one that was asked for.
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/signal_stop.h"

namespace qanat {
namespace {

struct Registered {
  CLI::App* app = nullptr;
  std::unique_ptr<Command> command;
};

CLI::App* subcommand(CLI::App& root, const CommandEntry& entry) {
  const std::string path(entry.path);
  const std::size_t space = path.find(' ');
  if (space == std::string::npos) {
    return root.add_subcommand(path, std::string(entry.summary));
  }
  const std::string group = path.substr(0, space);
  const auto named = [&](CLI::App* app) { return app->get_name() == group; };
  const std::vector<CLI::App*> found = root.get_subcommands(named);
  CLI::App* parent = found.empty() ? nullptr : found.front();
  if (parent == nullptr) {
    parent = root.add_subcommand(group, "commands for the " + group + "; see --help");
    parent->require_subcommand(1);
  }
  return parent->add_subcommand(path.substr(space + 1), std::string(entry.summary));
}

int run_program(int argc, char** argv) {
  const SignalStop signals;
  CLI::App root("Qanat trains XTTS-style text-to-speech models and keeps the GPU busy.", "qanat");
  root.require_subcommand(1);
  root.set_version_flag("--version", QANAT_VERSION);
  std::vector<Registered> registered;
  for (const CommandEntry& entry : all_commands()) {
    Registered one{.app = subcommand(root, entry), .command = entry.make()};
    one.command->declare(*one.app);
    registered.push_back(std::move(one));
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = root.exit(error, std::cout, std::cerr);
    return code == 0 ? 0 : static_cast<int>(ExitCode::usage);
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

}  // namespace
}  // namespace qanat

int main(int argc, char** argv) {
  try {
    return qanat::run_program(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "qanat: " << error.what() << '\n';
    return static_cast<int>(qanat::ExitCode::failed);
  }
}
