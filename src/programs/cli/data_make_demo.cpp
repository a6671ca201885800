#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/language.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/torch_part.h"
#include "corpus/demo_corpus.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/demo.h"
#include "locale/messages/help.h"

namespace qanat {
namespace {

std::vector<Language> to_languages(const std::vector<std::string>& codes) {
  std::vector<Language> languages;
  for (const std::string& code : codes) {
    const std::optional<Language> language = to_language(code);
    if (!language) {
      throw UsageError(msg::usage_flag{
          .flag = "--languages",
          .what = msg::usage_value{.given = code, .expected = one_of({"en", "fa", "en,fa"})}});
    }
    if (std::find(languages.begin(), languages.end(), *language) == languages.end()) {
      languages.push_back(*language);
    }
  }
  return languages;
}

std::filesystem::path espeak_program() {
  return find_companion("qanat-espeak").value_or(std::filesystem::path());
}

std::string_view to_string(DemoOutcome outcome) {
  switch (outcome) {
    case DemoOutcome::made:
      return "made";
    case DemoOutcome::already_there:
      return "already there";
    case DemoOutcome::stopped:
      return "stopped";
  }
  return "unknown";
}

class DataMakeDemoCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.argument("DIR", folder_, msg::help_demo_dir{})->required();
    flags.number("--utterances", options_.utterances, "N", {2, 1e6}, msg::help_utterances{});
    flags.text("--languages", languages_, "CODES", msg::help_languages{})
        ->delimiter(',')
        ->capture_default_str();
    flags.number("--voices", options_.voices, "N", {1, 8}, msg::help_voices{});
    flags.number("--seed", options_.seed, "N", {0, 1e15}, msg::help_corpus_seed{});
    flags.number(
        "--mean-seconds", options_.mean_seconds, "SECONDS", {1.5, 30}, msg::help_mean_seconds{});
    flags.on("--built-in", built_in_, msg::help_built_in{});
    report_.declare_json(flags);
    flags.footer(msg::footer_data_make_demo{},
                 {"qanat data make-demo demo --utterances 600 --built-in"});
  }

  ExitCode run(const CommandContext& context) override {
    ProgressLine progress(context, msg::progress_speaking{});
    options_.folder = folder_;
    options_.languages = to_languages(languages_);
    options_.voice = built_in_ ? DemoVoiceChoice::built_in : DemoVoiceChoice::automatic;
    options_.espeak_program = espeak_program();
    options_.progress = progress.fn();
    options_.stop = context.stop;
    const DemoCorpus corpus = make_demo_corpus(options_);
    progress.finish();
    if (!built_in_ && corpus.voice.starts_with("built-in")) {
      tell(context, msg::note{.text = msg::demo_no_espeak{}});
    }
    report(corpus, context);
    return corpus.outcome == DemoOutcome::stopped ? ExitCode::failed : ExitCode::done;
  }

 private:
  void report(const DemoCorpus& corpus, const CommandContext& context) const {
    if (report_.json()) {
      context.out << nlohmann::json{{"outcome", to_string(corpus.outcome)},
                                    {"folder", folder_},
                                    {"voice", corpus.voice},
                                    {"utterances", corpus.utterances},
                                    {"eval_utterances", corpus.eval_utterances},
                                    {"speakers", corpus.speakers},
                                    {"audio_seconds", corpus.audio.count()}}
                         .dump(2)
                  << '\n';
      return;
    }
    if (corpus.outcome == DemoOutcome::stopped) {
      context.out << context.words.tr(msg::demo_stopped{.folder = folder_}) << '\n';
      return;
    }
    const Message holds = msg::demo_holds{.utterances = corpus.utterances,
                                          .minutes = plain(corpus.audio.count() / 60, 1),
                                          .speakers = corpus.speakers,
                                          .voice = corpus.voice,
                                          .evaluation = corpus.eval_utterances};
    context.out << context.words.tr(
                       corpus.outcome == DemoOutcome::made
                           ? Message(msg::demo_made{.folder = folder_, .holds = holds})
                           : Message(msg::demo_there{.folder = folder_, .holds = holds}))
                << '\n';
  }

  DemoCorpusOptions options_;
  std::string folder_;
  std::vector<std::string> languages_ = {"en", "fa"};
  bool built_in_ = false;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_data_make_demo_command() {
  return std::make_unique<DataMakeDemoCommand>();
}

}  // namespace qanat
