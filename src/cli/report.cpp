#include "cli/report.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/ostream.h>

#include "base/error.h"
#include "diagnose/diagnosis.h"
#include "diagnose/run_comparison.h"
#include "diagnose/run_trace.h"
#include "report/run_json.h"
#include "report/run_text.h"

namespace qanat {
namespace {

// A journal, or the folder of a run that holds one.
RunTrace read_trace(const std::filesystem::path& path) {
  const std::filesystem::path journal =
      std::filesystem::is_directory(path) ? path / "journal.jsonl" : path;
  Result<RunTrace> trace = read_run_trace(journal);
  if (!trace) {
    throw Error("{}", trace.failure().what);
  }
  return std::move(trace.value());
}

class ReportCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("JOURNAL", journal_, "journal of a run, or its checkpoint folder")
        ->required()
        ->type_name("");
    app.add_option("--baseline", baseline_, "journal to compare with; slower: exit with 11")
        ->type_name("JOURNAL");
    app.add_option("--fail-on", fail_on_, "exit with 10 on findings: crit, warn or never")
        ->check(CLI::IsMember({"crit", "warn", "never"}).description(""))
        ->type_name("WHEN")
        ->capture_default_str();
    app.add_flag("--json", json_, "print one JSON object");
  }

  ExitCode run(const CommandContext& context) override {
    const RunTrace trace = read_trace(journal_);
    const Diagnosis diagnosis = diagnose_run(trace);
    std::optional<RunComparison> comparison;
    if (!baseline_.empty()) {
      comparison = compare_runs(diagnosis.measures, measure_run(read_trace(baseline_)));
    }
    if (trace.damaged_lines > 0) {
      fmt::print(
          context.err, "{}: {} damaged lines were left out\n", journal_, trace.damaged_lines);
    }
    print(context, diagnosis, comparison);
    return exit_code(diagnosis, comparison);
  }

 private:
  void print(const CommandContext& context,
             const Diagnosis& diagnosis,
             const std::optional<RunComparison>& comparison) const {
    if (json_) {
      nlohmann::ordered_json object = to_json(diagnosis);
      object["baseline"] = comparison ? to_json(*comparison) : nlohmann::ordered_json(nullptr);
      fmt::print(context.out, "{}\n", object.dump(2));
      return;
    }
    context.out << render_text(diagnosis);
    if (comparison) {
      context.out << '\n' << render_text(*comparison);
    }
  }

  ExitCode exit_code(const Diagnosis& diagnosis,
                     const std::optional<RunComparison>& comparison) const {
    if (diagnosis.verdict == VerdictKind::incomplete) {
      return ExitCode::cannot_measure;
    }
    if (comparison && comparison->change == Change::slower) {
      return ExitCode::regression;
    }
    const FindingSeverity least =
        fail_on_ == "warn" ? FindingSeverity::warn : FindingSeverity::crit;
    const bool found = std::ranges::any_of(
        diagnosis.findings, [least](const Finding& finding) { return finding.severity >= least; });
    return found && fail_on_ != "never" ? ExitCode::findings : ExitCode::done;
  }

  std::string journal_;
  std::string baseline_;
  std::string fail_on_ = "crit";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace qanat
