#include "selftest/selftest.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/temporary_folder.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

class SelftestCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    auto* quick = app.add_flag("--quick", quick_, "one strength of each fault (the default)");
    app.add_flag("--full", full_, "every strength, and more healthy runs")->excludes(quick);
    app.add_option("--fault", only_, "only this one, by its name; may be repeated")
        ->type_name("NAME");
    report_.declare_json(app);
    app.footer(
        "Plants known faults in short runs of the real loader on an emulated device, looks "
        "whether\n"
        "the diagnosis names each, applies its fix and compares what it predicted with what came\n"
        "of it. Takes a minute; wants a machine that does nothing else. Exits with 1 when fewer\n"
        "than nine in ten faults are named first, more than one healthy run in twenty raises an\n"
        "alarm, or predictions miss by more than 5 %; with 3 when other programs keep the machine\n"
        "too busy to judge some runs.\n"
        "Example: qanat selftest --fault 'slow storage' --fault healthy");
  }

  ExitCode run(const CommandContext& context) override {
    check_names();
    const TemporaryFolder folder;
    ProgressLine progress(
        context.err, detect_terminal(STDERR_FILENO), {.label = "planting faults", .unit = "runs"});
    const SelftestReport report =
        run_selftest({.size = full_ ? SelftestSize::full : SelftestSize::quick,
                      .folder = folder.path(),
                      .only = only_,
                      .progress = progress.fn(),
                      .stop = context.stop});
    progress.finish();
    report_.print(context.out, to_document(report));
    if (!report.passed() || context.stop.stop_requested()) {
      return ExitCode::failed;
    }
    return report.too_busy() ? ExitCode::cannot_measure : ExitCode::done;
  }

 private:
  void check_names() const {
    std::set<std::string> known;
    for (const PlantedFault& fault : planted_faults(SelftestSize::quick)) {
      known.insert(fault.name);
    }
    for (const std::string& name : only_) {
      if (!known.contains(name)) {
        throw UsageError("--fault: {}; expected one of: {}", name, fmt::join(known, ", "));
      }
    }
  }

  bool quick_ = false;
  bool full_ = false;
  std::vector<std::string> only_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_selftest_command() {
  return std::make_unique<SelftestCommand>();
}

}  // namespace qanat
