#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/ci_flags.h"
#include "cli/config_flags.h"
#include "cli/report_flags.h"
#include "cli/stage_lines.h"
#include "cli/usage_error.h"
#include "config/write_config.h"
#include "diagnose/hardware_fault.h"
#include "diagnosing/diagnose_session.h"
#include "diagnosing/fix_trial.h"
#include "report/full_diagnosis.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

constexpr const char* kDiagnoseFooter =
    "Takes the trainer's flags, reads the data set and trains for a short while; only what --out\n"
    "names is written. Without a data set the machine and the configuration are checked.\n"
    "Exit code: 0 nothing at or above --fail-on, 10 something, 12 broken hardware, 3 the run was\n"
    "too short to judge, 1 the data set cannot be read, 2 wrong flags.\n"
    "Example: qanat diagnose --data-path LJSpeech-1.1 --batch-size 32\n"
    "         qanat diagnose --data-path LJSpeech-1.1 --verify DL002";

// What is counted while it is done.
std::string unit_of(const std::string& what) {
  return what == "checking the data set" ? "utterances" : "steps";
}

class DiagnoseCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    flags_.declare(app, {"data", "model", "training", "pipeline"});
    app.add_flag(
        "--quick", quick_, "do not train: machine, configuration, data set, storage, loader");
    app.add_option("--steps", steps_, "steps of the short run")
        ->check(CLI::Range(1, 1'000'000).description(""))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--longest", longest_, "time after which the short run ends")
        ->check(CLI::Range(1.0, 86400.0).description(""))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--out", out_, "folder for report.txt, report.json, journal.jsonl and run.yaml")
        ->type_name("FOLDER");
    report_.declare_fail_on(app);
    app.add_option("--verify",
                   verify_,
                   "try the fix of this finding: short runs with and without it, turn by turn; "
                   "exits with 1 when it does not make the run faster")
        ->type_name("FINDING");
    app.add_option("--rounds", rounds_, "pairs of runs of --verify")
        ->check(CLI::Range(2, 1000).description(""))
        ->type_name("N")
        ->capture_default_str();
    report_.declare_json(app);
    ci_.declare(app);
    report_.declare_language(app);
    app.footer(kDiagnoseFooter);
  }

  ExitCode run(const CommandContext& context) override {
    const LoadedConfig config = flags_.load();
    if (!verify_.empty() && (!config.values.data.train_data || quick_)) {
      throw UsageError(
          "--verify: {}; expected a data set to train on (--data-path DIR) and no "
          "--quick",
          verify_);
    }
    make_folder();
    const std::optional<FullDiagnosis> full = diagnose(config, context);
    if (!full) {
      context.err << "stopped before the diagnosis was done\n";
      return ExitCode::failed;
    }
    if (!verify_.empty()) {
      return verify(config, full->diagnosis.findings, context);
    }
    const std::string text = render_text(*full, report_.words());
    const std::string json = to_json(*full).dump(2) + "\n";
    context.out << (report_.json() ? json : text);
    ci_.write(full->diagnosis, "qanat diagnose", context.err);
    if (!out_.empty()) {
      write_text_file(folder() / "report.txt", text);
      write_text_file(folder() / "report.json", json);
      write_text_file(folder() / "run.yaml", to_yaml(config));
      fmt::print(context.err, "written: {}\n", out_);
    }
    return exit_code(*full, config.values);
  }

 private:
  std::filesystem::path folder() const { return out_; }

  // First: a place that cannot be written is said before anything is measured.
  void make_folder() const {
    std::error_code error;
    if (!out_.empty() && !std::filesystem::create_directories(out_, error) && error) {
      throw Error("{}: cannot make the folder: {}; try another --out", out_, error.message());
    }
  }

  std::optional<FullDiagnosis> diagnose(const LoadedConfig& config,
                                        const CommandContext& context) const {
    StageLines lines(context.err);
    std::optional<FullDiagnosis> full = run_diagnosis(
        {.config = config,
         .depth = quick_ ? DiagnoseDepth::quick : DiagnoseDepth::full,
         .steps = steps_,
         .longest = Seconds{longest_},
         .folder = out_,
         .say = [&](const std::string& line) { lines.say(line); },
         .progress = [&](const std::string& what) { return lines.start(what, unit_of(what)); },
         .stop = context.stop});
    lines.finish();
    return full;
  }

  ExitCode verify(const LoadedConfig& config,
                  const std::vector<Finding>& findings,
                  const CommandContext& context) const {
    const auto finding = std::ranges::find(findings, verify_, &Finding::id);
    if (finding == findings.end()) {
      fmt::print(context.err,
                 "{}: not found in this run, so there is nothing to verify; found: {}\n",
                 verify_,
                 findings.empty() ? "nothing" : fmt::to_string(fmt::join(ids_of(findings), ", ")));
      return ExitCode::cannot_measure;
    }
    StageLines lines(context.err);
    const std::optional<FixTrial> trial = try_fix(
        {.config = config,
         .finding = *finding,
         .steps = steps_,
         .rounds = rounds_,
         .say = [&](const std::string& line) { lines.say(line); },
         .progress = [&](const std::string& what) { return lines.start(what, unit_of(what)); },
         .stop = context.stop});
    lines.finish();
    if (!trial) {
      context.err << "stopped before the fix was tried\n";
      return ExitCode::failed;
    }
    const std::string json = to_json(*trial).dump(2) + "\n";
    context.out << (report_.json() ? json : render_text(*trial));
    if (!out_.empty()) {
      write_text_file(folder() / "verify.json", json);
    }
    return trial->wins() ? ExitCode::done : ExitCode::failed;
  }

  static std::vector<std::string> ids_of(const std::vector<Finding>& findings) {
    std::vector<std::string> ids;
    std::ranges::transform(findings, std::back_inserter(ids), &Finding::id);
    return ids;
  }

  ExitCode exit_code(const FullDiagnosis& full, const RunConfig& config) const {
    const std::vector<Finding>& findings = full.diagnosis.findings;
    if (std::ranges::any_of(findings, is_hardware_fault)) {
      return ExitCode::hardware_fault;
    }
    const bool wanted = config.data.train_data && !quick_;
    if (wanted && (!full.measured || full.diagnosis.verdict == VerdictKind::incomplete)) {
      return ExitCode::cannot_measure;
    }
    return report_.exit_code(findings);
  }

  ConfigFlags flags_;
  bool quick_ = false;
  std::int64_t steps_ = 60;
  double longest_ = 120;
  std::string out_;
  std::string verify_;
  int rounds_ = 3;
  ReportFlags report_;
  CiFlags ci_;
};

}  // namespace

std::unique_ptr<Command> make_diagnose_command() {
  return std::make_unique<DiagnoseCommand>();
}

}  // namespace qanat
