#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/ostream.h>

#include "base/files.h"
#include "cli/config_flags.h"
#include "cli/report_flags.h"
#include "cli/stage_lines.h"
#include "diagnosing/analysis.h"
#include "report/known_names.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

class AnalyzeCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("DIR", data_, "folder of the data set")->required()->type_name("");
    app.add_option("--out", out_, "folder of the report")->type_name("DIR")->capture_default_str();
    app.add_option("--budget", budget_, "longest time of all, in s")
        ->check(CLI::Range(1.0, 1e6).description(""))
        ->type_name("S")
        ->capture_default_str();
    app.add_option("--num-steps", steps_, "steps of every run")
        ->check(CLI::Range(2, 10'000'000).description(""))
        ->type_name("N")
        ->capture_default_str();
    flags_.declare(app, {"data", "model", "training", "pipeline"});
    report_.declare_fail_on(app);
    report_.declare_language(app);
    report_.declare_json(app, "print report.json as well");
    app.footer(
        "Checks the data set, profiles a training step, the loader and two devices, and writes\n"
        "report.txt, report.json, report.html, run.yaml, index.txt and the journals. Asks\n"
        "nothing. Ctrl-C leaves what is finished and says what is missing.\n"
        "Example: qanat analyze LJSpeech-1.1 --out analysis --budget 600");
  }

  ExitCode run(const CommandContext& context) override {
    LoadedConfig config = flags_.load();
    config.values.data.train_data = data_;
    config.origins["data.train_data"] = "DIR";
    StageLines lines(context.err);
    const Analysis analysis =
        analyze({.config = std::move(config),
                 .folder = out_,
                 .budget = Seconds(budget_),
                 .steps = steps_,
                 .words = report_.words(),
                 .say = [&](const std::string& line) { lines.say(line); },
                 .progress = [&](const std::string& what,
                                 const std::string& unit) { return lines.start(what, unit); },
                 .stop = context.stop});
    lines.finish();
    if (report_.json()) {
      const Result<std::string> report =
          read_text_file(std::filesystem::path(out_) / "report.json");
      context.out << (report ? report.value() : report.failure().what + "\n");
    } else {
      print(analysis, context.out);
    }
    return exit_code(analysis);
  }

 private:
  void print(const Analysis& analysis, std::ostream& out) const {
    for (const AnalysisPart& part : analysis.parts) {
      fmt::print(out,
                 "{:<10} {}{}\n",
                 report_.words().said(in_words(to_string(part.status))),
                 report_.words().tr(part.title),
                 part.note ? ": " + report_.words().said(*part.note) : std::string());
      const std::size_t end = part.text.find('\n');
      if (part.status == PartStatus::done || part.status == PartStatus::cut_short) {
        fmt::print(out, "           {}\n", part.text.substr(0, end));
      }
    }
    fmt::print(out, "report: {0}/report.txt, {0}/report.html\n", out_);
  }

  ExitCode exit_code(const Analysis& analysis) const {
    const auto has = [&](PartStatus status) {
      return std::ranges::find(analysis.parts, status, &AnalysisPart::status) !=
             analysis.parts.end();
    };
    if (has(PartStatus::failed)) {
      return ExitCode::failed;
    }
    for (const AnalysisPart& part : analysis.parts) {
      if (report_.exit_code(part.findings) != ExitCode::done) {
        return ExitCode::findings;
      }
    }
    return has(PartStatus::done) || has(PartStatus::cut_short) ? ExitCode::done
                                                               : ExitCode::cannot_measure;
  }

  std::string data_;
  std::string out_ = "analysis";
  double budget_ = 300;
  std::int64_t steps_ = 60;
  ConfigFlags flags_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_analyze_command() {
  return std::make_unique<AnalyzeCommand>();
}

}  // namespace qanat
