#include "cli/commands.h"
#include "config/write_config.h"

namespace qanat {
namespace {

class ConfigReferenceCommand : public Command {
 public:
  void declare(Flags&) override {}

  ExitCode run(const CommandContext& context) override {
    context.out << config_reference(context.words);
    return ExitCode::done;
  }
};

}  // namespace

std::unique_ptr<Command> make_config_reference_command() {
  return std::make_unique<ConfigReferenceCommand>();
}

}  // namespace qanat
