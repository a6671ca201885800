#include "cli/selftest.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "app/selftest.h"
#include "cli/progress_line.h"
#include "cli/report_language.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"

namespace qanat {
namespace {

// Gone when the command ends. Named after the process, so that two runs do not meet.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("qanat-selftest-{}", ::getpid())) {
    std::filesystem::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;  // what is left lies in the folder for temporary files
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
};

class SelftestCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    auto* quick = app.add_flag("--quick", quick_, "one strength of each fault (the default)");
    app.add_flag("--full", full_, "every strength, and more healthy runs")->excludes(quick);
    app.add_option("--fault", only_, "only this one, by its name; may be repeated")
        ->type_name("NAME");
    app.add_flag("--json", json_, "print one JSON object");
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
    if (json_) {
      fmt::print(context.out, "{}\n", render_json(to_document(report)).dump(2));
    } else {
      context.out << render_text(to_document(report), Translator(report_language("")));
    }
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
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_selftest_command() {
  return std::make_unique<SelftestCommand>();
}

}  // namespace qanat
