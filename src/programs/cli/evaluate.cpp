#include "locale/messages/evaluate.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/language_flag.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/speak_texts.h"
#include "dataset/manifest.h"
#include "dataset/script.h"
#include "evaluate/evaluation.h"
#include "evaluate/evaluation_document.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "locale/messages/languages.h"
#include "locale/messages/speech_errors.h"

namespace qanat {
namespace {

LanguageTag undetermined() {
  return *to_language_tag("und");
}

// Where the script does not decide it is said to be undetermined, not guessed.
LanguageTag language_by_script(std::string_view text) {
  return script_of(text).language.value_or(undetermined());
}

namespace fs = std::filesystem;

constexpr std::size_t kListedClips = 20;

// What is to be said, by the names that clips will have, and who has said it already.
struct Sentences {
  std::map<std::string, EvaluatedText> texts{};
  std::map<std::string, fs::path> recordings{};
  fs::path recorded_in{};
  bool say_languages = false;  // a data set does; of lines the script is left to decide
};

// By the name of the file, as clips are found.
Sentences sentences_of(const Manifest& manifest) {
  Sentences sentences{.recorded_in = manifest.root, .say_languages = true};
  for (const Utterance& utterance : manifest.utterances) {
    const fs::path audio = manifest.root / utterance.audio;
    const std::string name = audio.stem().string();
    sentences.texts.emplace(name,
                            EvaluatedText{.text = utterance.text, .language = utterance.language});
    sentences.recordings.emplace(name, audio);
  }
  return sentences;
}

// A sentence a line; clips are called 001, 002 and so on.
Sentences sentences_of_lines(const fs::path& file, const std::optional<LanguageTag>& language) {
  const Result<std::string> content = read_text_file(file, mebibytes(64));
  if (!content) {
    throw MessageError(msg::evaluate_texts_unreadable{.why = reason_of(content.failure())});
  }
  Sentences sentences{.say_languages = language.has_value()};
  const std::string& text = content.value();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = encode_utf8(decode_utf8(text.substr(begin, end - begin)));
    if (line.find_first_not_of(" \t\r") != std::string::npos) {
      sentences.texts.emplace(
          fmt::format("{:03}", sentences.texts.size() + 1),
          EvaluatedText{.text = line, .language = language.value_or(language_by_script(line))});
    }
    begin = end + 1;
  }
  if (sentences.texts.empty()) {
    throw MessageError(msg::synth_no_lines{.file = file.string()});
  }
  return sentences;
}

// `language`: of lines and rows that do not say.
Sentences read_sentences(const fs::path& path, const std::optional<LanguageTag>& language) {
  const bool is_list = fs::is_regular_file(path) && path.extension() != ".csv";
  return is_list ? sentences_of_lines(path, language)
                 : sentences_of(read_manifest({.data = path, .language = language}));
}

// At most `limit`, evenly spread.
std::vector<NamedText> chosen_texts(const Sentences& sentences, std::size_t limit) {
  std::vector<NamedText> all;
  for (const auto& [name, text] : sentences.texts) {
    all.push_back({.name = name,
                   .text = text.text,
                   .language = sentences.say_languages ? text.language : undetermined()});
  }
  if (limit == 0 || all.size() <= limit) {
    return all;
  }
  std::vector<NamedText> chosen;
  for (std::size_t i = 0; i < limit; ++i) {
    chosen.push_back(all[i * all.size() / limit]);
  }
  return chosen;
}

class EvaluateCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.text("--made", made_, "DIR", msg::help_evaluate_made{});
    flags.text("--checkpoint", checkpoint_, "DIR", msg::help_evaluate_checkpoint{});
    flags.text("--recordings,--reference", reference_, "DIR", msg::help_evaluate_reference{});
    flags.text("--baseline", baseline_, "DIR", msg::help_evaluate_baseline{});
    flags.text("--baseline-checkpoint",
               baseline_checkpoint_,
               "DIR",
               msg::help_evaluate_baseline_checkpoint{});
    flags.text("--texts", texts_, "PATH", msg::help_evaluate_texts{});
    language_.declare(flags, msg::help_row_language{});
    declare_speaking(flags);
    flags.text("--word-errors", word_errors_, "COMMAND", msg::help_evaluate_word_errors{});
    flags.text("--speaker-similarity", similarity_, "COMMAND", msg::help_evaluate_similarity{});
    flags.text("--quality", quality_, "COMMAND", msg::help_evaluate_quality{});
    flags.number("--command-timeout", timeout_, "S", {0.1, 86400}, msg::help_evaluate_timeout{});
    report_.declare_json(flags, msg::help_evaluate_json{});
    report_.declare_html(flags, msg::help_evaluate_html{});
    flags.number("--threads", threads_, "N", {0, 1024}, msg::help_evaluate_threads{});
    flags.footer(
        msg::footer_evaluate{},
        {"qanat evaluate --recordings LJSpeech-1.1/wavs --made made --baseline before",
         "qanat evaluate --checkpoint checkpoints --texts sentences.txt --html page.html",
         "qanat evaluate --checkpoint after --baseline-checkpoint before --texts LJSpeech-1.1 --limit 50",
         "qanat evaluate --recordings wavs --made made --quality examples/judge_dnsmos.py"});
  }

  ExitCode run(const CommandContext& context) override {
    check_flags();
    std::optional<AtomicFile> page;  // opened first: a path that cannot be written is said now
    if (!report_.html().empty()) {
      page.emplace(report_.html());
    }
    const std::optional<Evaluation> evaluation = measured(context);
    if (!evaluation) {
      tell(context, msg::stopped_before_report{});
      return ExitCode::failed;
    }
    report_.print(
        context.out,
        to_document(*evaluation, report_.json() ? std::nullopt : std::optional(kListedClips)));
    if (page) {
      page->write(render_html(*evaluation, report_.html(), report_.words()));
      page->commit();
      tell(context, msg::report_is{.place = report_.html()});
    }
    if (evaluation->utterances.empty()) {
      return ExitCode::cannot_measure;
    }
    return evaluation->problems.empty() ? ExitCode::done : ExitCode::findings;
  }

 private:
  void declare_speaking(Flags& flags) {
    flags.number("--limit", limit_, "N", {1, 1'000'000}, msg::help_evaluate_limit{});
    flags.choice("--pick", pick_, "WORD", {"latest", "best"}, msg::help_pick{})
        ->transform(Flags::renamed("newest", "latest"));
    flags.text("--speaker", speaker_, "NAME", msg::help_synth_speaker{});
    flags.text("--voice", voice_, "FILE", msg::help_synth_reference{});
    flags.text("--vocoder", vocoder_, "DIR", msg::help_synth_vocoder{});
    flags.text(
        "--baseline-vocoder", baseline_vocoder_, "DIR", msg::help_evaluate_baseline_vocoder{});
    flags.text("--g2p", g2p_, "CMD", msg::help_text_g2p{});
    flags.text("--out", out_, "DIR", msg::help_evaluate_out{})->capture_default_str();
  }

  void check_flags() const {
    const bool speaks = !checkpoint_.empty();
    if (speaks == !made_.empty()) {
      throw UsageError(msg::evaluate_what{});
    }
    if (!speaks && !baseline_checkpoint_.empty()) {
      throw UsageError(msg::evaluate_baseline_alone{});
    }
    if (!baseline_.empty() && !baseline_checkpoint_.empty()) {
      throw UsageError(msg::evaluate_two_baselines{});
    }
    if (speaks && texts_.empty()) {
      throw UsageError(msg::evaluate_checkpoint_texts{});
    }
    if (!speaks && reference_.empty()) {
      throw UsageError(msg::evaluate_made_reference{});
    }
    if (!word_errors_.empty() && texts_.empty()) {
      throw UsageError(msg::evaluate_needs_texts{});
    }
  }

  std::optional<Evaluation> measured(const CommandContext& context) const {
    EvaluationRequest request{.word_errors = judge(word_errors_),
                              .speaker_similarity = judge(similarity_),
                              .quality = judge(quality_),
                              .threads = threads_,
                              .stop = context.stop};
    if (!reference_.empty()) {
      request.reference = reference_;
    }
    if (!baseline_.empty()) {
      request.baseline = baseline_;
    }
    Sentences sentences;
    if (!texts_.empty()) {
      sentences = read_sentences(texts_, language_.language());
      request.texts = sentences.texts;
    }
    if (checkpoint_.empty()) {
      request.made = made_;
    } else if (!speak(sentences, request)) {
      return std::nullopt;
    }
    if (request.speaker_similarity && !request.reference) {
      throw UsageError(msg::evaluate_similarity_reference{});
    }
    StageLines lines(context);
    request.progress = lines.start_fn();
    std::optional<Evaluation> evaluation = evaluate(request);
    lines.finish();
    return evaluation;
  }

  // False when stopped.
  bool speak(const Sentences& sentences, EvaluationRequest& request) const {
    const std::vector<NamedText> texts =
        chosen_texts(sentences, static_cast<std::size_t>(limit_.value_or(0)));
    for (const NamedText& one : texts) {
      request.only.insert(one.name);
    }
    if (!request.reference && !sentences.recordings.empty()) {
      request.reference = sentences.recorded_in;
      for (const NamedText& one : texts) {
        request.recordings.push_back(sentences.recordings.at(one.name));
      }
    }
    request.made = fs::path(out_) / "made";
    request.made_by = spoken(checkpoint_, vocoder_, texts, request);
    if (request.made_by && !baseline_checkpoint_.empty()) {
      const fs::path made = std::exchange(request.made, fs::path(out_) / "baseline");
      request.baseline_by = spoken(baseline_checkpoint_,
                                   baseline_vocoder_.empty() ? vocoder_ : baseline_vocoder_,
                                   texts,
                                   request);
      request.baseline = std::exchange(request.made, made);
    }
    return request.made_by && (baseline_checkpoint_.empty() || request.baseline_by);
  }

  std::optional<SpokenBy> spoken(const std::string& checkpoint,
                                 const std::string& vocoder,
                                 const std::vector<NamedText>& texts,
                                 const EvaluationRequest& request) const {
    std::vector<std::string> flags = {
        "--pick", pick_, "--lang", std::string(to_string(report_.language()))};
    const auto add = [&](const char* flag, const std::string& value) {
      if (!value.empty()) {
        flags.insert(flags.end(), {flag, value});
      }
    };
    add("--speaker", speaker_);
    add("--voice", voice_);
    add("--vocoder", vocoder);
    add("--g2p", g2p_);
    return speak_texts({.checkpoint = checkpoint,
                        .flags = flags,
                        .texts = texts,
                        .folder = request.made,
                        .stop = request.stop});
  }

  std::optional<JudgeCommand> judge(const std::string& command) const {
    return command.empty()
               ? std::nullopt
               : std::optional(JudgeCommand{.command = command, .timeout = Seconds(timeout_)});
  }

  std::string made_;
  std::string checkpoint_;
  std::string reference_;
  std::string baseline_;
  std::string baseline_checkpoint_;
  std::string texts_;
  std::optional<int> limit_;
  std::string pick_ = "latest";
  std::string speaker_;
  std::string voice_;
  std::string vocoder_;
  std::string baseline_vocoder_;
  std::string g2p_;
  LanguageFlag language_;
  std::string out_ = "evaluation";
  std::string word_errors_;
  std::string similarity_;
  std::string quality_;
  double timeout_ = JudgeCommand{}.timeout.count();
  int threads_ = 0;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace qanat
