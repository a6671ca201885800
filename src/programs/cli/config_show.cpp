#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/config_flags.h"
#include "cli/report_flags.h"
#include "config/check_config.h"
#include "config/field_list.h"
#include "config/write_config.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/help.h"

namespace qanat {
namespace {

class ConfigShowCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data", "model", "training", "vocoder", "pipeline"});
    report_.declare_json(flags, msg::help_config_json{});
    flags.footer(msg::footer_config_show{}, {"qanat config show --epochs 3 > run.yaml"});
  }

  ExitCode run(const CommandContext& context) override {
    const LoadedConfig config = flags_.load();
    const std::vector<Message> notes = inert_notes(
        config, {.trainer = true, .gpu = config.values.pipeline.virtual_gpus > 0, .cuda = false});
    if (report_.json()) {
      std::vector<std::string> english;
      english.reserve(notes.size());
      for (const Message& note : notes) {
        english.push_back(Translator().tr(note));
      }
      const nlohmann::json all = {
          {"config", to_json(config.values)}, {"origins", config.origins}, {"notes", english}};
      context.out << all.dump(2) << '\n';
      return ExitCode::done;
    }
    context.out << to_yaml(config);
    for (const Message& note : notes) {
      context.err << context.words.tr(msg::note{.text = note}) << '\n';
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
