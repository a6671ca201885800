#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/value_or_throw.h"
#include "cli/command.h"
#include "cli/help_formatter.h"
#include "cli/language_flag.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "locale/message_error.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "locale/messages/languages.h"
#include "locale/messages/speech_errors.h"
#include "speech/copy_session.h"
#include "speech/synth_session.h"
#include "torch_cli/checkpoint_flags.h"
#include "torch_cli/torch_commands.h"

namespace qanat {
namespace {

constexpr Bytes kMaxText = mebibytes(64);

std::string read_all(std::istream& in) {
  std::string text;
  std::array<char, 64 << 10> part{};
  while (text.size() < static_cast<std::size_t>(kMaxText.value) &&
         (in.read(part.data(), part.size()) || in.gcount() > 0)) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

// A file; or what cannot be measured before it is read: `-`, a pipe, a terminal.
std::string read_texts(const std::string& path) {
  std::error_code unknown;
  const auto type = std::filesystem::status(path, unknown).type();
  const bool streams = type == std::filesystem::file_type::fifo ||
                       type == std::filesystem::file_type::character ||
                       type == std::filesystem::file_type::socket;
  if (path == "-" || (streams && path == "/dev/stdin")) {
    return read_all(std::cin);
  }
  if (streams) {
    std::ifstream in(path, std::ios::binary);
    return read_all(in);
  }
  return value_or_throw(read_text_file(path, kMaxText));
}

// Lines with something on them.
std::vector<std::string> read_lines(const std::string& path) {
  const std::string text = read_texts(path);
  std::vector<std::string> lines;
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

// A tag a line, for each of `count` texts; nothing for an empty line.
std::vector<std::optional<LanguageTag>> read_languages(const std::string& path, std::size_t count) {
  const std::string text = value_or_throw(read_text_file(path, kMaxText));
  std::vector<std::optional<LanguageTag>> languages;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    languages.push_back(to_language_tag(line));
    if (!line.empty() && !languages.back()) {
      throw MessageError(
          msg::usage_flag{.flag = "--file-languages", .what = msg::usage_language{.given = line}});
    }
    begin = end + 1;
  }
  if (languages.size() != count) {
    throw MessageError(
        msg::synth_other_lines{.file = path, .lines = languages.size(), .expected = count});
  }
  return languages;
}

// All of it is one text; line breaks are blanks.
std::string read_standard_input() {
  std::string text = read_all(std::cin);
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

// Lines of a report for people.
struct Facts {
  std::ostream& out;
  const Translator& words;

  void say(const Message& name, const MessageArg& text) const {
    out << fact_line(words.tr(name), words.said(text));
  }
  void vocoder(const std::string& name, const std::optional<std::filesystem::path>& folder) const {
    say(msg::fact_vocoder{},
        folder ? MessageArg(msg::fact_vocoder_is{.name = name, .folder = folder->string()})
               : MessageArg(name));
  }
  void written(const std::filesystem::path& file, double audio_s) const {
    say(msg::fact_written{},
        msg::fact_written_is{.path = file.string(), .length = in_seconds(audio_s)});
  }
  void speed(double factor, double audio_s, double work_s) const {
    say(msg::fact_speed{},
        msg::fact_speed_factor{
            .factor = plain(factor, 3), .audio = in_seconds(audio_s), .work = in_seconds(work_s)});
  }
};

class SynthCommand : public Command {
 public:
  void declare(Flags& flags) override {
    CLI::Option* const text = flags.argument("TEXT", text_, msg::help_synth_text{});
    flags.text("--file", file_, "FILE", msg::help_synth_file{})->excludes(text);
    flags.text("--file-languages", languages_, "FILE", msg::help_synth_file_languages{})
        ->needs("--file");
    language_.declare(flags, msg::help_text_language{});
    flags.text("--voice,--reference", reference_, "FILE", msg::help_synth_reference{});
    flags.text("--speaker", speaker_, "NAME", msg::help_synth_speaker{});
    flags.number(
        "--length-scale", length_scale_, "NUMBER", {0.1, 10}, msg::help_synth_length_scale{});
    checkpoint_.declare(flags);
    flags.text("--out", out_, "WAV", msg::help_synth_out{})->capture_default_str();
    flags.text("--mel", mel_, "NPY", msg::help_synth_mel{});
    flags.text("--vocoder", vocoder_, "DIR", msg::help_synth_vocoder{});
    flags.number("--chunk", chunk_, "S", {0.01, 3600}, msg::help_synth_chunk{});
    flags.text("--copy", copy_, "PATH", msg::help_synth_copy{})->excludes(text);
    report_.declare_json(flags);
    flags.footer(msg::footer_synth{},
                 {"qanat synth 'Hello there.' --checkpoint checkpoints --out hello.wav",
                  "qanat synth 'سلام دنیا' --language fa --voice voice.wav --out salam.wav",
                  "qanat synth 'Hello there.' --vocoder checkpoints/vocoder --out - | aplay",
                  "qanat synth --copy LJSpeech-1.1/wavs --vocoder hifigan --out copies"});
  }

  ExitCode run(const CommandContext& context) override {
    if (!copy_.empty()) {
      return run_copy(context);
    }
    SynthRequest request = make_request(context);
    ProgressLine progress(context, msg::progress_speaking{}, msg::progress_sentences{});
    request.progress = progress.fn();
    const SynthReport report = run_synthesis(request);
    progress.finish();
    if (context.stop.stop_requested()) {
      tell(context, msg::synth_stopped{.done = report.texts.size(), .texts = request.texts.size()});
    }
    print(report, context);
    return report.texts.size() == request.texts.size() ? ExitCode::done : ExitCode::failed;
  }

 private:
  SynthRequest make_request(const CommandContext& context) const {
    check_sound_file(out_);
    if (out_ == "-" && !file_.empty()) {
      throw UsageError(msg::usage_stream_texts{});
    }
    if (out_ == "-" && report_.json()) {
      throw UsageError(msg::usage_stream_json{});
    }
    std::string given = text_;
    if (text_ == "-" || (text_.empty() && file_.empty() && ::isatty(STDIN_FILENO) == 0)) {
      given = read_standard_input();
    }
    if (given.empty() && file_.empty()) {
      throw UsageError(msg::usage_no_text{});
    }
    const std::vector<std::string> texts =
        file_.empty() ? std::vector<std::string>{given} : read_lines(file_);
    return {.checkpoint = checkpoint_.choice(),
            .texts = texts,
            .language = language_.language(),
            .languages = languages_.empty() ? std::vector<std::optional<LanguageTag>>{}
                                            : read_languages(languages_, texts.size()),
            .reference = reference_,
            .speaker = speaker_,
            .length_scale = length_scale_,
            .vocoder = vocoder_,
            .chunk = Seconds(chunk_.value_or(0)),
            .out = out_,
            .mel = mel_,
            .warn = [&context](const Message& text) { tell(context, msg::note{.text = text}); },
            .stop = context.stop};
  }

  ExitCode run_copy(const CommandContext& context) const {
    if (!file_.empty()) {
      throw UsageError(msg::usage_copy_and_text{});
    }
    ProgressLine progress(context, msg::progress_speaking{}, msg::progress_utterances{});
    const CopyReport report = run_copy_synthesis({.from = copy_,
                                                  .out = out_,
                                                  .vocoder = vocoder_,
                                                  .progress = progress.fn(),
                                                  .stop = context.stop});
    progress.finish();
    if (report_.json()) {
      context.out << to_json(report).dump(2) << '\n';
    } else {
      const Facts facts{context.out, context.words};
      facts.vocoder(report.vocoder, report.vocoder_folder);
      for (const CopiedClip& one : report.clips) {
        facts.written(one.out, one.audio_s);
      }
      facts.speed(report.real_time_factor(), report.audio_s, report.work_s);
    }
    return context.stop.stop_requested() ? ExitCode::failed : ExitCode::done;
  }

  void print(const SynthReport& report, const CommandContext& context) const {
    std::ostream& out = out_ == "-" ? context.err : context.out;  // where the sound is not
    const Translator& w = context.words;
    if (report_.json()) {
      out << to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      return;
    }
    const Facts facts{out, w};
    facts.say(msg::fact_checkpoint{},
              msg::fact_checkpoint_is{.path = report.checkpoint.string(), .step = report.step});
    facts.vocoder(report.vocoder, report.vocoder_folder);
    for (const SpokenText& one : report.texts) {
      facts.say(msg::fact_said{}, one.normalised);
      facts.written(one.out, one.audio_s);
      if (one.first_s) {
        facts.say(msg::fact_first_sound{},
                  msg::fact_first_sound_is{.time = in_seconds(*one.first_s)});
      }
    }
    facts.speed(report.real_time_factor(), report.audio_s, report.work_s);
  }

  std::string text_;
  std::string file_;
  std::string languages_;
  LanguageFlag language_;
  std::string reference_;
  std::string speaker_;
  double length_scale_ = 1.0;
  CheckpointFlags checkpoint_;
  std::string out_ = "speech.wav";
  std::string mel_;
  std::string vocoder_;
  std::optional<double> chunk_;
  std::string copy_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_synth_command() {
  return std::make_unique<SynthCommand>();
}

}  // namespace qanat
