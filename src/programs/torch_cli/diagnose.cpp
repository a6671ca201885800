#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "cli/command.h"
#include "cli/config_flags.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "config/write_config.h"
#include "diagnose/hardware_fault.h"
#include "diagnose/rules.h"
#include "diagnosing/diagnose_session.h"
#include "diagnosing/fix_trial.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/full_diagnosis.h"
#include "locale/messages/help.h"
#include "locale/messages/training.h"
#include "report/full_diagnosis.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

class DiagnoseCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags_.declare(flags, {"data", "model", "training", "vocoder", "pipeline"});
    flags.on("--quick", quick_, msg::help_diagnose_quick{});
    flags.number("--steps", steps_, "N", {1, 1e6}, msg::help_diagnose_steps{});
    flags.number(
        "--timeout,--longest", timeout_, "SECONDS", {1, 86400}, msg::help_diagnose_timeout{});
    flags.text("--out", out_, "FOLDER", msg::help_diagnose_out{});
    report_.declare_fail_on(flags);
    flags.text("--verify", verify_, "FINDING", msg::help_diagnose_verify{});
    flags.number("--rounds", rounds_, "N", {2, 1000}, msg::help_diagnose_rounds{});
    report_.declare_json(flags);
    flags.on("--verbose", verbose_, msg::help_verbose{});
    ci_.declare(flags);
    flags.footer(msg::footer_diagnose{},
                 {"qanat diagnose --data LJSpeech-1.1 --batch-size 32",
                  "qanat diagnose --data LJSpeech-1.1 --verify DL002"});
  }

  ExitCode run(const CommandContext& context) override {
    const LoadedConfig config = flags_.load();
    if (!verify_.empty() && (!config.values.data.train_data || quick_)) {
      throw UsageError(msg::usage_verify{.given = verify_});
    }
    if (!verify_.empty() && find_rule(verify_) == nullptr) {
      throw UsageError(msg::usage_no_rule{.rule = verify_});
    }
    if (!out_.empty()) {  // first: a place that cannot be written is said before all else
      make_folders(out_, "--out");
    }
    const std::optional<FullDiagnosis> full = diagnose(config, context);
    if (!full) {
      tell(context, msg::stopped_before_diagnosis{});
      return ExitCode::failed;
    }
    if (!verify_.empty()) {
      return verify(config, full->diagnosis.findings, context);
    }
    const Translator words = report_.words();
    const std::string json = to_json(*full).dump(2) + "\n";
    context.out << (report_.json()
                        ? json
                        : render_text(*full, words, verbose_ ? Detail::all : Detail::brief));
    ci_.write(full->diagnosis, "qanat diagnose", context.err);
    if (!out_.empty()) {
      write_text_file(folder() / "report.txt", render_text(*full, words));
      write_text_file(folder() / "report.json", json);
      write_text_file(folder() / "run.yaml", to_yaml(config));
      tell(context, msg::written_to{.place = out_});
    }
    return exit_code(*full, config.values);
  }

 private:
  std::filesystem::path folder() const { return out_; }

  std::optional<FullDiagnosis> diagnose(const LoadedConfig& config,
                                        const CommandContext& context) const {
    StageLines lines(context);
    std::optional<FullDiagnosis> full =
        run_diagnosis({.config = config,
                       .depth = quick_ ? DiagnoseDepth::quick : DiagnoseDepth::full,
                       .steps = steps_,
                       .timeout = Seconds{timeout_},
                       .folder = out_,
                       .say = lines.say_fn(),
                       .progress = lines.start_fn(),
                       .stop = context.stop});
    lines.finish();
    return full;
  }

  ExitCode verify(const LoadedConfig& config,
                  const std::vector<Finding>& findings,
                  const CommandContext& context) const {
    const auto finding = std::ranges::find(findings, verify_, &Finding::id);
    if (finding == findings.end()) {
      tell(context,
           findings.empty()
               ? Message(msg::verify_nothing_found{.finding = verify_})
               : Message(msg::verify_not_found{.finding = verify_, .found = ids_of(findings)}));
      return ExitCode::cannot_measure;
    }
    StageLines lines(context);
    const std::optional<FixTrial> trial = try_fix({.config = config,
                                                   .finding = *finding,
                                                   .steps = steps_,
                                                   .rounds = rounds_,
                                                   .say = lines.say_fn(),
                                                   .progress = lines.start_fn(),
                                                   .stop = context.stop});
    lines.finish();
    if (!trial) {
      tell(context, msg::stopped_before_fix{});
      return ExitCode::failed;
    }
    const std::string json = to_json(*trial).dump(2) + "\n";
    context.out << (report_.json() ? json : render_text(*trial, report_.words()));
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
  double timeout_ = 120;
  std::string out_;
  std::string verify_;
  int rounds_ = 3;
  ReportFlags report_;
  bool verbose_ = false;
  CiFlags ci_;
};

}  // namespace

std::unique_ptr<Command> make_diagnose_command() {
  return std::make_unique<DiagnoseCommand>();
}

}  // namespace qanat
