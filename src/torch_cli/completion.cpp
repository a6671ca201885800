#include <filesystem>
#include <string>

#include <fmt/ostream.h>

#include "base/files.h"
#include "cli/completion_script.h"
#include "cli/manual_page.h"
#include "cli/usage_error.h"
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
  void declare(CLI::App& app) override {
    app_ = &app;
    app.add_option("SHELL", shell_, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
        ->type_name("");
    app.footer("Example: source <(qanat completion bash)");
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
  void declare(CLI::App& app) override {
    app_ = &app;
    app.add_option("FOLDER", folder_, "where the pages go; it is made")->required()->type_name("");
    app.footer("Example: qanat manual /tmp/man && man -l /tmp/man/qanat-train.1");
  }

  ExitCode run(const CommandContext& context) override {
    const std::vector<CommandFacts> commands = command_tree(root_of(*app_));
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) {
      throw Error("{}: cannot make the folder: {}", folder_, error.message());
    }
    for (const CommandFacts& command : commands) {
      write_text_file(std::filesystem::path(folder_) / manual_page_name(command),
                      manual_page(command, commands));
    }
    fmt::print(context.err, "{} manual pages in {}\n", commands.size(), folder_);
    return ExitCode::done;
  }

 private:
  const CLI::App* app_ = nullptr;
  std::string folder_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

std::unique_ptr<Command> make_manual_command() {
  return std::make_unique<ManualCommand>();
}

}  // namespace qanat
