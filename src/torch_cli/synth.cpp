#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ostream.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"
#include "speech/synth_session.h"
#include "torch_cli/checkpoint_flags.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

constexpr const char* kSynthFooter =
    "Long texts are cut at the ends of sentences and joined with a short pause. With "
    "--file every\nline becomes a sound file of its own: speech-001.wav, speech-002.wav "
    "...\nThe sound comes from Griffin-Lim, which needs no training and sounds a little "
    "metallic; --mel\nkeeps the spectrogram for any HiFi-GAN of 22.05 kHz and 80 "
    "bands.\nExample: qanat synth 'Hello there.' --checkpoint checkpoints --out "
    "hello.wav\n         qanat synth 'سلام دنیا' --language fa --reference voice.wav "
    "--out salam.wav";

// Lines with something on them.
std::vector<std::string> read_lines(const std::string& path) {
  const Result<std::string> content = read_text_file(path, mebibytes(64));
  if (!content) {
    throw Error(content.failure().what);
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
    throw Error("{}: has no text; expected one text a line", path);
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
        "--out: {}; expected a name that ends in .wav, the only format written here; "
        "try ffmpeg for others",
        path.string());
  }
}

class SynthCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    CLI::Option* const text =
        app.add_option("TEXT", text_, "what to say; - or a pipe: standard input");
    app.add_option("--file", file_, "say every line of this file")
        ->type_name("FILE")
        ->excludes(text);
    app.add_option("--language", language_, "en or fa (default: by the script of the text)")
        ->check(CLI::IsMember({"en", "fa"}).description(""))
        ->type_name("CODE");
    app.add_option("--reference", reference_, "recording of the voice to speak with, a few seconds")
        ->type_name("FILE");
    app.add_option("--speaker", speaker_, "speaker of the training set, for models that have them")
        ->type_name("NAME");
    app.add_option("--length-scale", length_scale_, "above 1 slower, below 1 faster (default: 1)")
        ->type_name("NUMBER");
    checkpoint_.declare(app);
    app.add_option("--out", out_, "sound file to write (default: speech.wav)")->type_name("WAV");
    app.add_option("--mel", mel_, "also write the spectrogram here, for numpy.load")
        ->type_name("NPY");
    report_.declare_json(app);
    app.footer(kSynthFooter);
  }

  ExitCode run(const CommandContext& context) override {
    SynthRequest request = make_request(context);
    ProgressLine progress(
        context.err, detect_terminal(STDERR_FILENO), {.label = "speaking", .unit = "texts"});
    request.progress = progress.fn();
    const SynthReport report = run_synthesis(request);
    progress.finish();
    print(report, context.out);
    return report.texts.size() == request.texts.size() ? ExitCode::done : ExitCode::failed;
  }

 private:
  SynthRequest make_request(const CommandContext& context) const {
    constexpr double kSlowest = 10.0;
    check_sound_file(out_);
    std::string given = text_;
    if (text_ == "-" || (text_.empty() && file_.empty() && ::isatty(STDIN_FILENO) == 0)) {
      given = read_standard_input();
    }
    if (given.empty() && file_.empty()) {
      throw UsageError("synth: no text; expected TEXT, --file FILE, or text on standard input");
    }
    if (!(length_scale_ >= 1 / kSlowest && length_scale_ <= kSlowest)) {
      throw UsageError(
          "--length-scale: {}; expected {} to {}", length_scale_, 1 / kSlowest, kSlowest);
    }
    return {.checkpoint = checkpoint_.choice(),
            .texts = file_.empty() ? std::vector<std::string>{given} : read_lines(file_),
            .language = to_language(language_),
            .reference = reference_,
            .speaker = speaker_,
            .length_scale = length_scale_,
            .out = out_,
            .mel = mel_,
            .warn = [&context](
                        const std::string& text) { fmt::print(context.err, "note: {}\n", text); },
            .stop = context.stop};
  }

  void print(const SynthReport& report, std::ostream& out) const {
    if (report_.json()) {
      out << to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      return;
    }
    fmt::print(out, "checkpoint  {} (step {})\n", report.checkpoint.string(), report.step);
    for (const SpokenText& one : report.texts) {
      fmt::print(out, "said        {}\n", one.normalised);
      fmt::print(out, "written     {}, {:.2f} s\n", one.out.string(), one.audio_s);
    }
    fmt::print(out,
               "speed       real-time factor {:.3f}: {:.2f} s of sound in {:.2f} s\n",
               report.real_time_factor(),
               report.audio_s,
               report.work_s);
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
