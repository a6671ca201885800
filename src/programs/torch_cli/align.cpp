#include <string>

#include "cli/help_formatter.h"
#include "cli/language_flag.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/help.h"
#include "locale/translator.h"
#include "speech/align_session.h"
#include "torch_cli/checkpoint_flags.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

class AlignCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.text("--data", data_, "DIR", msg::help_align_data{})->required();
    flags.text("--out", out_, "DIR", msg::help_align_out{})->required();
    checkpoint_.declare(flags);
    language_.declare(flags, msg::help_row_language{});
    report_.declare_json(flags);
    flags.footer(msg::footer_align{},
                 {"qanat align --data LJSpeech-1.1 --checkpoint checkpoints --out alignments"});
  }

  ExitCode run(const CommandContext& context) override {
    ProgressLine progress(context, msg::progress_aligning{});
    const AlignReport report =
        run_alignment({.checkpoint = checkpoint_.choice(),
                       .data = data_,
                       .language = language_.language(),
                       .out = out_,
                       .warn = [&](const Message& text) { tell(context, msg::note{.text = text}); },
                       .progress = progress.fn(),
                       .stop = context.stop});
    progress.finish();
    print(report, context);
    return report.aligned > 0 && !report.stopped ? ExitCode::done : ExitCode::failed;
  }

 private:
  void print(const AlignReport& report, const CommandContext& context) const {
    std::ostream& out = context.out;
    const Translator& w = context.words;
    if (report_.json()) {
      out << to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      return;
    }
    constexpr std::size_t kShown = 20;
    const auto fact = [&](const Message& name, const MessageArg& text) {
      out << fact_line(w.tr(name), w.said(text));
    };
    fact(msg::fact_checkpoint{},
         msg::fact_checkpoint_is{.path = report.checkpoint.string(), .step = report.step});
    fact(msg::fact_aligned{},
         msg::fact_aligned_is{.done = report.aligned, .total = report.utterances});
    fact(msg::fact_written{}, report.out.string());
    fact(
        msg::fact_speed{},
        msg::fact_speed_is{.audio = in_seconds(report.audio_s), .work = in_seconds(report.work_s)});
    for (std::size_t i = 0; i < report.failures.size() && i < kShown; ++i) {
      fact(msg::fact_failed{},
           msg::set_refused{.file = report.failures[i].id, .why = report.failures[i].reason});
    }
    if (report.failures.size() > kShown) {
      out << fact_line("", w.tr(msg::more_in_json{.count = report.failures.size() - kShown}));
    }
  }

  std::string data_;
  std::string out_;
  LanguageFlag language_;
  CheckpointFlags checkpoint_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_align_command() {
  return std::make_unique<AlignCommand>();
}

}  // namespace qanat
