#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/ostream.h>

#include "base/files.h"
#include "base/value_or_throw.h"
#include "cli/commands.h"
#include "cli/dashboard_flags.h"
#include "cli/find_journal.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/trace_flags.h"
#include "diagnose/diagnosis.h"
#include "diagnose/run_comparison.h"
#include "diagnose/run_summary.h"
#include "history/run_history.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "locale/messages/training.h"
#include "report/run_html.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "telemetry/prometheus.h"

namespace qanat {
namespace {

// A run writes a line every few seconds. One that was killed says no more.
constexpr std::chrono::minutes kSilence{2};

bool is_silent(const std::filesystem::path& journal) {
  std::error_code problem;
  const auto written = std::filesystem::last_write_time(journal, problem);
  return !problem && std::filesystem::file_time_type::clock::now() - written > kSilence;
}

class ReportCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.argument("JOURNAL", journal_, msg::help_journal{})->required();
    flags.text("--baseline", baseline_, "JOURNAL", msg::help_baseline{});
    report_.declare_fail_on(flags);
    report_.declare_html(flags, msg::help_report_html{});
    ci_.declare(flags);
    trace_.declare(flags);
    flags.text("--prometheus", prometheus_, "FILE", msg::help_prometheus{});
    report_.declare_json(flags);
    flags.number("--session", session_, "N", {1, 1'000'000}, msg::help_session{});
    flags.on("--verbose", verbose_, msg::help_verbose{});
  }

  ExitCode run(const CommandContext& context) override {
    Exports exports{.tracer = RunTracer(trace_.options()), .snapshot = {}};
    std::optional<RunRecord> record = read(context, exports);
    if (!record) {
      tell(context, msg::stopped_before_report{});
      return ExitCode::failed;
    }
    if (!record->summary.ending && is_silent(find_journal(journal_))) {
      record->summary.ending = "silent";
    }
    const RunSummary& summary = record->summary;
    const Diagnosis diagnosis = diagnose_run(summary);
    const std::optional<Baseline> baseline = compare(context, summary, diagnosis.measures);
    if (context.stop.stop_requested()) {
      tell(context, msg::stopped_before_report{});
      return ExitCode::failed;
    }
    if (summary.damaged_lines > 0) {
      tell(context,
           msg::journal_damaged_lines{.count = summary.damaged_lines, .journal = journal_});
    }
    tell_session(context, record->history);
    if (!report_.html().empty()) {
      write_text_file(report_.html(),
                      render_html({.summary = summary,
                                   .history = record->history,
                                   .diagnosis = diagnosis,
                                   .words = report_.words(),
                                   .files = files_beside(journal_of(journal_), report_.html())}));
    }
    print(context, diagnosis, baseline);
    ci_.write(diagnosis, journal_, context.err);
    write(exports, context, diagnosis);
    return exit_code(diagnosis, baseline);
  }

 private:
  struct Baseline {
    RunComparison comparison;
    std::vector<Difference> differences;
  };

  // Which session it is about, where that is not the last one.
  static void tell_session(const CommandContext& context, const RunHistory& history) {
    if (history.sessions_after > 0) {
      tell(context,
           msg::report_of_session{.session = history.sessions,
                                  .sessions = history.sessions + history.sessions_after});
    }
  }

  // With the journal that --baseline names.
  std::optional<Baseline> compare(const CommandContext& context,
                                  const RunSummary& summary,
                                  const RunMeasures& measures) const {
    if (baseline_.empty() || context.stop.stop_requested()) {
      return std::nullopt;
    }
    Result<RunRecord> record = read_run_record(find_journal(baseline_), {}, {}, context.stop);
    if (context.stop.stop_requested()) {
      return std::nullopt;
    }
    const RunSummary before = value_or_throw(std::move(record)).summary;
    return Baseline{.comparison = compare_runs(measures, measure_run(before)),
                    .differences = differences(summary, before)};
  }

  // What --trace and --prometheus make of the journal.
  struct Exports {
    RunTracer tracer;
    RunSnapshot snapshot;
  };

  // Once, for everything that is asked for; nothing when asked to stop.
  std::optional<RunRecord> read(const CommandContext& context, Exports& exports) const {
    ProgressLine reading(context, msg::progress_reading_journal{}, msg::progress_lines{});
    const bool is_traced = trace_.file().has_value();
    const VisitEntry also = [&](const JournalEntry& entry) {
      if (is_traced) {
        exports.tracer.add(entry);
      }
      if (!prometheus_.empty()) {
        exports.snapshot.add(entry);
      }
    };
    Result<RunRecord> record =
        read_run_record(find_journal(journal_), reading.fn(), also, context.stop, session_);
    if (context.stop.stop_requested()) {
      return std::nullopt;
    }
    return value_or_throw(std::move(record));
  }

  void write(Exports& exports, const CommandContext& context, const Diagnosis& diagnosis) const {
    if (const std::optional<std::filesystem::path> file = trace_.file()) {
      exports.tracer.write(*file);
      tell(context,
           msg::report_trace{.file = file->string(),
                             .steps = msg::train_trace_steps{.count = exports.tracer.steps()}});
    }
    if (!prometheus_.empty()) {
      write_text_file(prometheus_, prometheus_text(exports.snapshot, scrape_context(diagnosis)));
    }
  }

  void print(const CommandContext& context,
             const Diagnosis& diagnosis,
             const std::optional<Baseline>& baseline) const {
    if (report_.json()) {
      nlohmann::ordered_json object = to_json(diagnosis);
      object["baseline"] = nullptr;
      if (baseline) {
        object["baseline"] = to_json(baseline->comparison);
        object["baseline"]["differences"] = to_json(baseline->differences);
      }
      fmt::print(context.out, "{}\n", object.dump(2));
      return;
    }
    context.out << render_text(diagnosis, report_.words(), verbose_ ? Detail::all : Detail::brief);
    if (baseline) {
      context.out << '\n'
                  << render_text(baseline->comparison, report_.words())
                  << render_text(baseline->differences, report_.words());
    }
  }

  ExitCode exit_code(const Diagnosis& diagnosis, const std::optional<Baseline>& baseline) const {
    if (diagnosis.verdict == VerdictKind::incomplete) {
      return ExitCode::cannot_measure;
    }
    if (baseline && baseline->comparison.change == Change::slower) {
      return ExitCode::regression;
    }
    return report_.exit_code(diagnosis.findings);
  }

  std::string journal_;
  std::string baseline_;
  std::string prometheus_;
  CiFlags ci_;
  TraceFlags trace_;
  ReportFlags report_;
  std::optional<int> session_;
  bool verbose_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace qanat
