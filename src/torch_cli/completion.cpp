#include <filesystem>
#include <string>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/completion_script.h"
#include "cli/manual_page.h"
#include "cli/usage_error.h"
#include "locale/messages.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

const CLI::App& root_of(const CLI::App& app) {
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) {
    root = root->get_parent();
  }
  return *root;
}

class CompletionCommand : public Command {
 public:
  void declare(Flags& flags) override {
    app_ = &flags.app();
    flags.choice("SHELL", shell_, "", {"bash", "zsh", "fish"}, msg::help_shell{})->required();
    flags.examples({"source <(qanat completion bash)"});
  }

  ExitCode run(const CommandContext& context) override {
    const std::vector<CommandFacts> commands = command_tree(root_of(*app_));
    context.out << (shell_ == "bash"  ? bash_completion(commands)
                    : shell_ == "zsh" ? zsh_completion(commands)
                                      : fish_completion(commands));
    return ExitCode::done;
  }

 private:
  const CLI::App* app_ = nullptr;
  std::string shell_;
};

class ManualCommand : public Command {
 public:
  void declare(Flags& flags) override {
    app_ = &flags.app();
    flags.argument("FOLDER", folder_, msg::help_manual_folder{});
    flags.on("--json", json_, msg::help_manual_json{});
    flags.examples({"qanat manual /tmp/man && man -l /tmp/man/qanat-train.1"});
  }

  ExitCode run(const CommandContext& context) override {
    const std::vector<CommandFacts> commands = command_tree(root_of(*app_));
    if (json_) {
      context.out << to_json(commands, context.words).dump(2) << '\n';
      return ExitCode::done;
    }
    if (folder_.empty()) {
      throw UsageError(msg::usage_required{.name = "FOLDER"});
    }
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) {
      throw Error("{}: cannot make the folder: {}", folder_, error.message());
    }
    for (const CommandFacts& command : commands) {
      write_text_file(std::filesystem::path(folder_) / manual_page_name(command),
                      manual_page(command, commands, context.words));
    }
    fmt::print(context.err,
               "{}\n",
               context.words.tr(msg::manual_written{.count = commands.size(), .folder = folder_}));
    return ExitCode::done;
  }

 private:
  const CLI::App* app_ = nullptr;
  std::string folder_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

std::unique_ptr<Command> make_manual_command() {
  return std::make_unique<ManualCommand>();
}

}  // namespace qanat
