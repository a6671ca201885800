#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/command.h"
#include "cli/help_formatter.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "locale/message_error.h"
#include "locale/messages.h"
#include "speech/synth_session.h"
#include "torch_cli/checkpoint_flags.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

// Lines with something on them.
std::vector<std::string> read_lines(const std::string& path) {
  const Result<std::string> content = read_text_file(path, mebibytes(64));
  if (!content) {
    throw Error(content.failure());
  }
  std::vector<std::string> lines;
  const std::string& text = content.value();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") != std::string::npos) {
      lines.push_back(std::move(line));
    }
    begin = end + 1;
  }
  if (lines.empty()) {
    throw MessageError(msg::synth_no_lines{.file = path});
  }
  return lines;
}

// All of it is one text; line breaks are blanks.
std::string read_standard_input() {
  constexpr std::size_t kMaxText = 64 << 20;
  std::string text;
  std::array<char, 64 << 10> part{};
  while (text.size() < kMaxText &&
         (std::cin.read(part.data(), part.size()) || std::cin.gcount() > 0)) {
    text.append(part.data(), static_cast<std::size_t>(std::cin.gcount()));
  }
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text.find_first_not_of(" \t") == std::string::npos ? std::string() : text;
}

void check_sound_file(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!ending.empty() && ending != ".wav") {
    throw UsageError(
        msg::usage_flag{.flag = "--out", .what = msg::usage_sound_file{.given = path.string()}});
  }
}

class SynthCommand : public Command {
 public:
  void declare(Flags& flags) override {
    CLI::Option* const text = flags.argument("TEXT", text_, msg::help_synth_text{});
    flags.text("--file", file_, "FILE", msg::help_synth_file{})->excludes(text);
    flags.choice("--language", language_, "CODE", {"en", "fa"}, msg::help_text_language{});
    flags.text("--reference", reference_, "FILE", msg::help_synth_reference{});
    flags.text("--speaker", speaker_, "NAME", msg::help_synth_speaker{});
    flags.number(
        "--length-scale", length_scale_, "NUMBER", {0.1, 10}, msg::help_synth_length_scale{});
    checkpoint_.declare(flags);
    flags.text("--out", out_, "WAV", msg::help_synth_out{})->capture_default_str();
    flags.text("--mel", mel_, "NPY", msg::help_synth_mel{});
    report_.declare_json(flags);
    flags.footer(msg::footer_synth{},
                 {"qanat synth 'Hello there.' --checkpoint checkpoints --out hello.wav",
                  "qanat synth 'سلام دنیا' --language fa --reference voice.wav --out salam.wav"});
  }

  ExitCode run(const CommandContext& context) override {
    SynthRequest request = make_request(context);
    ProgressLine progress(context, msg::progress_speaking{}, msg::progress_texts{});
    request.progress = progress.fn();
    const SynthReport report = run_synthesis(request);
    progress.finish();
    print(report, context);
    return report.texts.size() == request.texts.size() ? ExitCode::done : ExitCode::failed;
  }

 private:
  SynthRequest make_request(const CommandContext& context) const {
    check_sound_file(out_);
    std::string given = text_;
    if (text_ == "-" || (text_.empty() && file_.empty() && ::isatty(STDIN_FILENO) == 0)) {
      given = read_standard_input();
    }
    if (given.empty() && file_.empty()) {
      throw UsageError(msg::usage_no_text{});
    }
    return {.checkpoint = checkpoint_.choice(),
            .texts = file_.empty() ? std::vector<std::string>{given} : read_lines(file_),
            .language = to_language(language_),
            .reference = reference_,
            .speaker = speaker_,
            .length_scale = length_scale_,
            .out = out_,
            .mel = mel_,
            .warn = [&context](const Message& text) { tell(context, msg::note{.text = text}); },
            .stop = context.stop};
  }

  void print(const SynthReport& report, const CommandContext& context) const {
    std::ostream& out = context.out;
    const Translator& w = context.words;
    if (report_.json()) {
      out << to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      return;
    }
    const auto fact = [&](const Message& name, const MessageArg& text) {
      out << fact_line(w.tr(name), w.said(text));
    };
    fact(msg::fact_checkpoint{},
         msg::fact_checkpoint_is{.path = report.checkpoint.string(), .step = report.step});
    for (const SpokenText& one : report.texts) {
      fact(msg::fact_said{}, one.normalised);
      fact(msg::fact_written{},
           msg::fact_written_is{.path = one.out.string(), .length = in_seconds(one.audio_s)});
    }
    fact(msg::fact_speed{},
         msg::fact_speed_factor{.factor = plain(report.real_time_factor(), 3),
                                .audio = in_seconds(report.audio_s),
                                .work = in_seconds(report.work_s)});
  }

  std::string text_;
  std::string file_;
  std::string language_;
  std::string reference_;
  std::string speaker_;
  double length_scale_ = 1.0;
  CheckpointFlags checkpoint_;
  std::string out_ = "speech.wav";
  std::string mel_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_synth_command() {
  return std::make_unique<SynthCommand>();
}

}  // namespace qanat
