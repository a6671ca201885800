#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "cli/config_flags.h"
#include "cli/report_flags.h"
#include "locale/messages/help.h"
#include "session/device_list.h"
#include "session/memory_check.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

class DevicesCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags,
                   {"pipeline.virtual_gpus",
                    "pipeline.virtual_gpu_memory",
                    "data.max_mel_frames",
                    "data.max_text_length",
                    "data.prefetch_buffer_size"});
    flags.on("--memory-table", table_, msg::help_memory_table{});
    report_.declare_json(flags);
    flags.footer(msg::footer_devices{}, {"qanat devices --virtual-gpus 2"});
  }

  ExitCode run(const CommandContext& context) override {
    const RunConfig config = flags_.load().values;
    const DeviceList list = list_devices(config, read_host_facts());
    if (report_.json()) {
      nlohmann::json all = to_json(list);
      if (table_) {
        all["memory_table"] = to_json(memory_table(config));
      }
      context.out << all.dump(2) << '\n';
      return ExitCode::done;
    }
    context.out << render_text(list, context.words);
    if (table_) {
      context.out << '\n' << render_memory_table(memory_table(config), context.words);
    }
    return ExitCode::done;
  }

 private:
  ConfigFlags flags_;
  bool table_ = false;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_devices_command() {
  return std::make_unique<DevicesCommand>();
}

}  // namespace qanat
