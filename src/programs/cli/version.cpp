#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/report_flags.h"

namespace qanat {
namespace {

class VersionCommand : public Command {
 public:
  void declare(Flags& flags) override { report_.declare_json(flags); }

  ExitCode run(const CommandContext& context) override {
    if (report_.json()) {
      context.out << nlohmann::json{{"version", QANAT_VERSION}, {"compiler", __VERSION__}}.dump(2)
                  << '\n';
    } else {
      fmt::print(context.out, "qanat {} (g++ {})\n", QANAT_VERSION, __VERSION__);
    }
    return ExitCode::done;
  }

 private:
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_version_command() {
  return std::make_unique<VersionCommand>();
}

}  // namespace qanat
