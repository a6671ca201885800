#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "dataset/manifest.h"
#include "evaluate/evaluation.h"
#include "evaluate/evaluation_document.h"
#include "locale/messages.h"

namespace qanat {
namespace {

constexpr std::size_t kListedClips = 20;

// By the name of the file, as clips are found.
std::map<std::string, SpokenText> texts_of(const Manifest& manifest) {
  std::map<std::string, SpokenText> texts;
  for (const Utterance& utterance : manifest.utterances) {
    texts.emplace(std::filesystem::path(utterance.audio).stem().string(),
                  SpokenText{.text = utterance.text, .language = utterance.language});
  }
  return texts;
}

class EvaluateCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.text("--reference", reference_, "DIR", msg::help_evaluate_reference{})->required();
    flags.text("--made", made_, "DIR", msg::help_evaluate_made{})->required();
    flags.text("--baseline", baseline_, "DIR", msg::help_evaluate_baseline{});
    flags.text("--texts", texts_, "DIR", msg::help_evaluate_texts{});
    flags.text("--word-errors", word_errors_, "COMMAND", msg::help_evaluate_word_errors{});
    flags.text("--speaker-similarity", similarity_, "COMMAND", msg::help_evaluate_similarity{});
    flags.text("--quality", quality_, "COMMAND", msg::help_evaluate_quality{});
    flags.number("--command-timeout", timeout_, "S", {0.1, 86400}, msg::help_evaluate_timeout{});
    report_.declare_json(flags, msg::help_evaluate_json{});
    report_.declare_html(flags, msg::help_evaluate_html{});
    flags.number("--threads", threads_, "N", {0, 1024}, msg::help_evaluate_threads{});
    flags.footer(
        msg::footer_evaluate{},
        {"qanat evaluate --reference LJSpeech-1.1/wavs --made made --baseline before",
         "qanat evaluate --reference wavs --made made --html page.html",
         "qanat evaluate --reference wavs --made made --quality examples/judge_dnsmos.py"});
  }

  ExitCode run(const CommandContext& context) override {
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
  std::optional<Evaluation> measured(const CommandContext& context) const {
    EvaluationRequest request{.reference = reference_,
                              .made = made_,
                              .word_errors = judge(word_errors_),
                              .speaker_similarity = judge(similarity_),
                              .quality = judge(quality_),
                              .threads = threads_,
                              .stop = context.stop};
    if (!baseline_.empty()) {
      request.baseline = baseline_;
    }
    if (!texts_.empty()) {
      request.texts = texts_of(read_manifest({.data = texts_, .language = std::nullopt}));
    } else if (request.word_errors) {
      throw UsageError(msg::evaluate_needs_texts{});
    }
    StageLines lines(context);
    request.progress = lines.start_fn();
    std::optional<Evaluation> evaluation = evaluate(request);
    lines.finish();
    return evaluation;
  }

  std::optional<JudgeCommand> judge(const std::string& command) const {
    return command.empty()
               ? std::nullopt
               : std::optional(JudgeCommand{.command = command, .timeout = Seconds(timeout_)});
  }

  std::string reference_;
  std::string made_;
  std::string baseline_;
  std::string texts_;
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
