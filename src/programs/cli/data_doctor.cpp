#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/language_flag.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "doctor/doctor_document.h"
#include "doctor/examine_set.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/doctor.h"
#include "locale/messages/evaluate.h"
#include "locale/messages/help.h"

namespace qanat {
namespace {

constexpr std::size_t kListed = 20;  // clips of each rule

class DataDoctorCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.argument("DIR", data_, msg::help_data_check_dir{})->required();
    flags.text("--asr", asr_, "COMMAND", msg::help_doctor_asr{});
    flags.number("--command-timeout", timeout_, "S", {0.1, 86400}, msg::help_evaluate_timeout{});
    flags.text("--write-view", write_view_, "FILE", msg::help_doctor_write_view{});
    flags.text("--view", view_, "FILE", msg::help_doctor_view{});
    language_.declare(flags, msg::help_row_language{});
    report_.declare_json(flags, msg::help_doctor_json{});
    report_.declare_html(flags, msg::help_doctor_html{});
    flags.on("--all", all_, msg::help_doctor_all{});
    flags.choice(
        "--fail-on", fail_on_, "WHEN", {"drop", "any", "never"}, msg::help_doctor_fail_on{});
    flags.number("--threads", threads_, "N", {0, 1024}, msg::help_data_check_threads{});
    flags.footer(msg::footer_doctor{},
                 {"qanat data doctor LJSpeech-1.1 --html doctor.html --write-view view.tsv",
                  "qanat train --data LJSpeech-1.1 --view view.tsv",
                  "qanat rules DOC005"});
  }

  ExitCode run(const CommandContext& context) override {
    // Opened first: a path that cannot be written is said now.
    std::optional<AtomicFile> page;
    std::optional<AtomicFile> view;
    if (!report_.html().empty()) {
      page.emplace(report_.html());
    }
    if (!write_view_.empty()) {
      view.emplace(write_view_);
    }
    const std::optional<DoctorReport> report = examined(context);
    if (!report) {
      tell(context, msg::stopped_before_report{});
      return ExitCode::failed;
    }
    for (const MessageArg& note : report->notes) {
      tell(context, msg::note{.text = note});
    }
    const bool lists_all = all_ || report_.json();
    report_.print(context.out,
                  to_document(*report, lists_all ? std::nullopt : std::optional(kListed)));
    if (page) {
      page->write(render_html(*report, report_.html(), report_.words()));
      page->commit();
      tell(context, msg::report_is{.place = report_.html()});
    }
    if (view) {
      const DataView lines = view_of(*report, report_.words());
      view->write(to_text(lines, view_comments(*report, report_.words())));
      view->commit();
      tell(context, msg::doctor_view_is{.count = lines.lines.size(), .place = write_view_});
    }
    return exit_code(*report);
  }

 private:
  std::optional<DoctorReport> examined(const CommandContext& context) const {
    ProgressLine measuring(context, msg::progress_listening{});
    ProgressLine asking(context, msg::doctor_asking{});
    ExamineOptions options{.manifest = {.data = data_,
                                        .language = language_.language(),
                                        .text = TextUse::kept,
                                        .store = {.stop = context.stop}},
                           .threads = threads_,
                           .measuring = measuring.fn(),
                           .stop = context.stop};
    options.listening = [&](std::int64_t done, std::int64_t total) {
      measuring.finish();
      asking.update(done, total);
    };
    if (!view_.empty()) {
      options.view = view_;
    }
    if (!asr_.empty()) {
      options.asr = JudgeCommand{.command = asr_, .timeout = Seconds(timeout_)};
    }
    return examine_set(options);
  }

  ExitCode exit_code(const DoctorReport& report) const {
    if (report.all.utterances == 0) {
      return ExitCode::failed;
    }
    const bool drops = std::ranges::any_of(report.findings, [](const ClipFinding& finding) {
      return finding.action == ViewAction::drop;
    });
    const bool is_finding =
        (drops && fail_on_ != "never") || (!report.findings.empty() && fail_on_ == "any");
    return is_finding ? ExitCode::findings : ExitCode::done;
  }

  std::string data_;
  std::string asr_;
  double timeout_ = JudgeCommand{}.timeout.count();
  std::string write_view_;
  std::string view_;
  LanguageFlag language_;  // of the rows
  bool all_ = false;
  std::string fail_on_ = "drop";
  int threads_ = 0;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_data_doctor_command() {
  return std::make_unique<DataDoctorCommand>();
}

}  // namespace qanat
