#include "selftest/selftest.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "cli/command.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

class SelftestCommand : public Command {
 public:
  void declare(Flags& flags) override {
    CLI::Option* const quick = flags.on("--quick", quick_, msg::help_selftest_quick{});
    flags.on("--full", full_, msg::help_selftest_full{})->excludes(quick);
    flags.text("--fault", only_, "NAME", msg::help_selftest_fault{});
    report_.declare_json(flags);
    flags.footer(msg::footer_selftest{}, {"qanat selftest --fault 'slow storage' --fault healthy"});
  }

  ExitCode run(const CommandContext& context) override {
    check_names();
    const TemporaryFolder folder;
    ProgressLine progress(context, msg::progress_injecting{}, msg::progress_runs{});
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
    for (const InjectedFault& fault : injected_faults(SelftestSize::quick)) {
      known.insert(fault.name);
    }
    for (const std::string& name : only_) {
      if (!known.contains(name)) {
        throw UsageError(msg::usage_flag{
            .flag = "--fault",
            .what =
                msg::usage_value{.given = name, .expected = one_of({known.begin(), known.end()})}});
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
