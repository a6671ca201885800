// `qanat watch` is Python's: it runs inside the script that it watches.
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "cli/commands.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/help.h"

namespace qanat {
namespace {

class WatchCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.text("COMMAND", command_, "", msg::help_watch_command{})->required();
    flags.text("--out", out_, "DIR", msg::help_watch_out{})->capture_default_str();
    flags.on("--no-lines", no_lines_, msg::help_watch_no_lines{});
    flags.footer(msg::footer_watch{},
                 {"qanat watch -- python train.py", "qanat report runs/watch"});
  }

  // Becomes the Python that the script is for.
  ExitCode run(const CommandContext&) override {
    std::vector<std::string> words = {python(), "-m", "qanat", "watch", "--out", out_};
    if (no_lines_) {
      words.emplace_back("--no-lines");
    }
    words.emplace_back("--");
    words.insert(words.end(), command_.begin(), command_.end());
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);  // a script has its signals
    ::execvp(arguments.front(), arguments.data());
    throw MessageError(
        msg::error_not_run{.program = words.front(), .reason = system_reason(errno)});
  }

 private:
  std::string python() const {
    const std::string name = std::filesystem::path(command_.front()).filename().string();
    return name.starts_with("python") ? command_.front() : "python3";
  }

  std::vector<std::string> command_;
  std::string out_ = "runs/watch";
  bool no_lines_ = false;
};

}  // namespace

std::unique_ptr<Command> make_watch_command() {
  return std::make_unique<WatchCommand>();
}

}  // namespace qanat
