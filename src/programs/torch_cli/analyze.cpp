#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/ostream.h>

#include "base/files.h"
#include "base/value_or_throw.h"
#include "cli/config_flags.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "diagnosing/analysis.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "report/known_names.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

class AnalyzeCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.argument("DIR", data_, msg::help_analyze_data{})->required();
    flags.text("--out", out_, "DIR", msg::help_analyze_out{})->capture_default_str();
    flags.number("--budget", budget_, "S", {1, 1e6}, msg::help_analyze_budget{});
    flags.number("--num-steps", steps_, "N", {2, 1e7}, msg::help_num_steps{});
    flags_.declare(flags, {"data", "model", "training", "vocoder", "pipeline"});
    report_.declare_fail_on(flags);
    report_.declare_json(flags, msg::help_analyze_json{});
    flags.footer(msg::footer_analyze{}, {"qanat analyze LJSpeech-1.1 --out analysis --budget 600"});
  }

  ExitCode run(const CommandContext& context) override {
    LoadedConfig config = flags_.load();
    config.values.data.train_data = data_;
    config.origins["data.train_data"] = "DIR";
    StageLines lines(context);
    const Analysis analysis = analyze({.config = std::move(config),
                                       .folder = out_,
                                       .budget = Seconds(budget_),
                                       .steps = steps_,
                                       .words = report_.words(),
                                       .say = lines.say_fn(),
                                       .progress = lines.start_fn(),
                                       .stop = context.stop});
    lines.finish();
    if (report_.json()) {
      context.out << value_or_throw(read_text_file(std::filesystem::path(out_) / "report.json"));
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
    const std::filesystem::path folder = out_;
    fmt::print(out,
               "{}\n",
               report_.words().tr(msg::report_is{
                   .place = std::vector<std::string>{(folder / "report.txt").string(),
                                                     (folder / "report.html").string()}}));
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
