#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/config_flags.h"
#include "cli/report_flags.h"
#include "config/check_config.h"
#include "config/field_list.h"
#include "config/write_config.h"

namespace qanat {
namespace {

class ConfigShowCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    flags_.declare(app, {"data", "model", "training", "pipeline"});
    report_.declare_json(app, "print one JSON object: config, origins, notes");
    app.footer("The output is a configuration file: qanat config show --epochs 3 > run.yaml");
  }

  ExitCode run(const CommandContext& context) override {
    const LoadedConfig config = flags_.load();
    const std::vector<std::string> notes = inert_notes(
        config, {.trainer = true, .gpu = config.values.pipeline.virtual_gpus > 0, .cuda = false});
    if (report_.json()) {
      const nlohmann::json all = {
          {"config", to_json(config.values)}, {"origins", config.origins}, {"notes", notes}};
      context.out << all.dump(2) << '\n';
      return ExitCode::done;
    }
    context.out << to_yaml(config);
    for (const std::string& note : notes) {
      context.err << "note: " << note << '\n';
    }
    return ExitCode::done;
  }

 private:
  ConfigFlags flags_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_config_show_command() {
  return std::make_unique<ConfigShowCommand>();
}

}  // namespace qanat
