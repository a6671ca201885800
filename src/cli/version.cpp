#include "cli/version.h"

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

namespace qanat {
namespace {

class VersionCommand : public Command {
 public:
  void declare(CLI::App& app) override { app.add_flag("--json", json_, "print one JSON object"); }

  ExitCode run(const CommandContext& context) override {
    if (json_) {
      context.out << nlohmann::json{{"version", QANAT_VERSION}, {"compiler", __VERSION__}}.dump(2)
                  << '\n';
    } else {
      fmt::print(context.out, "qanat {} (g++ {})\n", QANAT_VERSION, __VERSION__);
    }
    return ExitCode::done;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_version_command() {
  return std::make_unique<VersionCommand>();
}

}  // namespace qanat
