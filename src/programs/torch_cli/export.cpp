#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/help_formatter.h"
#include "cli/language_flag.h"
#include "cli/report_flags.h"
#include "export/export_session.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/exported_voice.h"
#include "locale/messages/help.h"
#include "torch_cli/checkpoint_flags.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

// FILE=NAME; a name has no =, a file may.
BakedVoice to_baked_voice(const std::string& given) {
  const std::size_t at = given.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == given.size()) {
    throw UsageError(
        msg::usage_flag{.flag = "--voice", .what = msg::usage_export_voice{.given = given}});
  }
  return {.file = given.substr(0, at), .name = given.substr(at + 1)};
}

class ExportCommand : public Command {
 public:
  void declare(Flags& flags) override {
    checkpoint_.declare(flags);
    flags.text("--vocoder", vocoder_, "DIR", msg::help_export_vocoder{});
    flags.text("--out", out_, "ONNX", msg::help_export_out{})->required();
    flags.text("--voice", voices_, "FILE=NAME", msg::help_export_voice{});
    language_.declare(flags, msg::help_export_language{});
    flags.on("--fp16", fp16_, msg::help_export_fp16{});
    report_.declare_json(flags);
    flags.footer(msg::footer_export{},
                 {"qanat export --checkpoint checkpoints --out voice.onnx",
                  "qanat export --checkpoint checkpoints --vocoder vocoder --fp16 --out voice.onnx",
                  "qanat export --checkpoint checkpoints --voice me.wav=me --out voice.onnx"});
  }

  ExitCode run(const CommandContext& context) override {
    if (std::filesystem::path(out_).extension() != ".onnx") {
      throw UsageError(
          msg::usage_flag{.flag = "--out", .what = msg::usage_export_out{.given = out_}});
    }
    std::vector<BakedVoice> voices;
    std::ranges::transform(voices_, std::back_inserter(voices), to_baked_voice);
    const ExportReport report =
        run_export({.checkpoint = checkpoint_.choice(),
                    .vocoder = vocoder_,
                    .out = out_,
                    .voices = voices,
                    .language = language_.language(),
                    .weights = fp16_ ? WeightType::f16 : WeightType::f32,
                    .version = QANAT_VERSION,
                    .words = Translator(context.words.language()),
                    .warn = [&](const Message& text) { tell(context, msg::note{.text = text}); }});
    print(report, context);
    return ExitCode::done;
  }

 private:
  void print(const ExportReport& report, const CommandContext& context) const {
    const Translator& w = context.words;
    if (report_.json()) {
      context.out << to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                  << '\n';
      return;
    }
    const auto fact = [&](const Message& name, const MessageArg& text) {
      context.out << fact_line(w.tr(name), w.said(text));
    };
    fact(msg::fact_checkpoint{},
         msg::fact_checkpoint_is{.path = report.checkpoint.string(), .step = report.step});
    fact(msg::fact_vocoder{},
         msg::fact_vocoder_is{.name = report.vocoder, .folder = report.vocoder_folder.string()});
    fact(msg::fact_voices{}, MessageArg::List(report.voices.begin(), report.voices.end()));
    if (report.mean_difference) {
      fact(msg::fact_rounding{},
           msg::fact_rounding_is{.mean = plain(*report.mean_difference, 5),
                                 .max = plain(*report.max_difference, 5)});
    }
    fact(msg::fact_written{},
         msg::fact_exported_is{.path = report.out.string(),
                               .size = in_bytes(static_cast<double>(report.bytes))});
    for (const std::filesystem::path& file : report.files) {
      fact(msg::fact_written{}, file.string());
    }
  }

  CheckpointFlags checkpoint_;
  std::string vocoder_;
  std::string out_;
  std::vector<std::string> voices_;
  LanguageFlag language_;
  bool fp16_ = false;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_export_command() {
  return std::make_unique<ExportCommand>();
}

}  // namespace qanat
