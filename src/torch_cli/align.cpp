#include <string>

#include <fmt/ostream.h>
#include <unistd.h>

#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "speech/align_session.h"
#include "torch_cli/checkpoint_flags.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

constexpr const char* kAlignFooter =
    "Writes <id>.json (tokens and words with begin, end and frames) and <id>.TextGrid (for Praat)\n"
    "for every utterance. Utterances that cannot be read are listed, and the rest goes on.\n"
    "Exit code: 0 something was aligned, 1 nothing was, or the run was stopped.\n"
    "Example: qanat align --data LJSpeech-1.1 --checkpoint checkpoints --out alignments";

class AlignCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--data", data_, "folder of the data set: metadata.csv, wavs/")
        ->type_name("DIR")
        ->required();
    app.add_option("--out", out_, "folder of the alignments")->type_name("DIR")->required();
    checkpoint_.declare(app);
    app.add_option("--language",
                   language_,
                   "en or fa, of rows that do not say (default: by the script of the text)")
        ->check(CLI::IsMember({"en", "fa"}).description(""))
        ->type_name("CODE");
    report_.declare_json(app);
    app.footer(kAlignFooter);
  }

  ExitCode run(const CommandContext& context) override {
    ProgressLine progress(context.err, detect_terminal(STDERR_FILENO), {.label = "aligning"});
    const AlignReport report = run_alignment(
        {.checkpoint = checkpoint_.choice(),
         .data = data_,
         .language = to_language(language_),
         .out = out_,
         .warn = [&](const std::string& text) { fmt::print(context.err, "note: {}\n", text); },
         .progress = progress.fn(),
         .stop = context.stop});
    progress.finish();
    print(report, context.out);
    return report.aligned > 0 && !report.stopped ? ExitCode::done : ExitCode::failed;
  }

 private:
  void print(const AlignReport& report, std::ostream& out) const {
    if (report_.json()) {
      out << to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      return;
    }
    constexpr std::size_t kShown = 20;
    fmt::print(out, "checkpoint  {} (step {})\n", report.checkpoint.string(), report.step);
    fmt::print(out, "aligned     {} of {} utterances\n", report.aligned, report.utterances);
    fmt::print(out, "written     {}\n", report.out.string());
    fmt::print(out, "speed       {:.1f} s of sound in {:.1f} s\n", report.audio_s, report.work_s);
    for (std::size_t i = 0; i < report.failures.size() && i < kShown; ++i) {
      fmt::print(out, "failed      {}: {}\n", report.failures[i].id, report.failures[i].reason);
    }
    if (report.failures.size() > kShown) {
      fmt::print(
          out, "            and {} more; --json lists all\n", report.failures.size() - kShown);
    }
  }

  std::string data_;
  std::string out_;
  std::string language_;
  CheckpointFlags checkpoint_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_align_command() {
  return std::make_unique<AlignCommand>();
}

}  // namespace qanat
