#include "corpus/demo_corpus.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "audio/wav_writer.h"
#include "base/for_each_item.h"
#include "batch/random.h"
#include "corpus/demo_corpus_folder.h"
#include "corpus/demo_corpus_text.h"
#include "corpus/demo_corpus_voice.h"
#include "locale/message_error.h"
#include "locale/messages/demo.h"
#include "text/normalise.h"

namespace qanat {
namespace {

using nlohmann::json;

constexpr int kFormatVersion = 2;  // raised when the same settings give another corpus

constexpr int kEvalShare = 10;  // one in ten

[[noreturn]] void refuse(const char* flag, MessageArg given, const char* least, const char* most) {
  throw MessageError(
      msg::demo_bad_value{.flag = flag, .given = std::move(given), .least = least, .most = most});
}

void check_options(const DemoCorpusOptions& options) {
  if (options.utterances < 2 || options.utterances > 1'000'000) {
    refuse("--utterances", options.utterances, "2", "1000000");
  }
  if (options.voices < 1 || options.voices > 8) {
    refuse("--voices", options.voices, "1", "8");
  }
  if (!(options.mean_seconds >= 1.5 && options.mean_seconds <= 30)) {
    refuse("--mean-seconds", plain(options.mean_seconds, 2), "1.5", "30");
  }
  if (options.languages.empty()) {
    throw MessageError(msg::demo_no_languages{});
  }
}

// Which lines are kept for evaluation: a tenth, at least one.
std::vector<bool> choose_eval(const DemoCorpusOptions& options) {
  const auto count = static_cast<std::size_t>(options.utterances);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random({options.seed});
  shuffle(std::span(order), random);
  std::vector<bool> is_eval(count);
  for (std::size_t i = 0; i < std::max<std::size_t>(count / kEvalShare, 1); ++i) {
    is_eval[order[i]] = true;
  }
  return is_eval;
}

std::unique_ptr<DemoVoice> choose_voice(const DemoCorpusOptions& options) {
  if (options.voice == DemoVoiceChoice::automatic && !options.espeak_program.empty()) {
    if (std::unique_ptr<DemoVoice> espeak = make_espeak_voice(options.espeak_program)) {
      return espeak;
    }
  }
  return make_formant_voice();
}

// Everything that decides what is in a corpus.
json settings_of(const DemoCorpusOptions& options, const DemoVoice& voice) {
  json languages = json::array();
  for (const Language language : options.languages) {
    languages.push_back(to_string(language));
  }
  return {{"format", kFormatVersion},
          {"normaliser", kNormaliserVersion},
          {"voice", voice.name()},
          {"utterances", options.utterances},
          {"languages", languages},
          {"voices", options.voices},
          {"seed", options.seed},
          {"mean_seconds", options.mean_seconds}};
}

json to_json(const std::vector<TimedLabel>& labels) {
  json list = json::array();
  for (const TimedLabel& label : labels) {
    list.push_back({label.label, label.start});
  }
  return list;
}

// What is left of one line once its audio is written.
struct MadeLine {
  std::string metadata;
  std::string alignment;
  std::int64_t samples = 0;
};

MadeLine make_line(const DemoLine& line,
                   const DemoVoice& voice,
                   const std::filesystem::path& wavs) {
  const SpokenLine spoken = voice.speak(line);
  write_plain_file(wavs / (line.id + ".wav"), encode_wav(spoken.samples, kDemoRate));
  const json alignment = {{"id", line.id},
                          {"sample_rate", kDemoRate.value},
                          {"samples", spoken.samples.size()},
                          {"phones", to_json(spoken.phones)},
                          {"words", to_json(spoken.words)}};
  const std::string_view language = to_string(line.language);
  return {.metadata = fmt::format("{}|{}|{}|{}-{}|{}\n",
                                  line.id,
                                  line.text,
                                  line.normalised,
                                  language,
                                  line.voice + 1,
                                  language),
          .alignment = alignment.dump() + '\n',
          .samples = static_cast<std::int64_t>(spoken.samples.size())};
}

void write_tables(const std::filesystem::path& folder,
                  const std::vector<MadeLine>& lines,
                  const std::vector<bool>& is_eval) {
  constexpr std::string_view kHeader = "id|text|normalised|speaker|language\n";
  std::string all(kHeader);
  std::string train(kHeader);
  std::string eval(kHeader);
  std::string alignments;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    all += lines[i].metadata;
    (is_eval[i] ? eval : train) += lines[i].metadata;
    alignments += lines[i].alignment;
  }
  write_plain_file(folder / "metadata.csv", all);
  write_plain_file(folder / "metadata_train.csv", train);
  write_plain_file(folder / "metadata_eval.csv", eval);
  write_plain_file(folder / "alignments.jsonl", alignments);
}

DemoCorpus describe(const DemoCorpusOptions& options,
                    const DemoVoice& voice,
                    DemoOutcome outcome,
                    std::int64_t samples) {
  const std::vector<bool> is_eval = choose_eval(options);
  const int speakers = options.voices * static_cast<int>(options.languages.size());
  return {.outcome = outcome,
          .voice = voice.name(),
          .utterances = options.utterances,
          .eval_utterances = static_cast<int>(std::count(is_eval.begin(), is_eval.end(), true)),
          .speakers = std::min(speakers, options.utterances),
          .audio = Seconds(static_cast<double>(samples) / static_cast<double>(kDemoRate.value))};
}

}  // namespace

DemoCorpus make_demo_corpus(const DemoCorpusOptions& options) {
  check_options(options);
  const std::unique_ptr<DemoVoice> voice = choose_voice(options);
  const json settings = settings_of(options, *voice);
  if (const std::optional<json> there = find_demo_corpus(options.folder, settings)) {
    return describe(options, *voice, DemoOutcome::already_there, there->at("samples"));
  }
  PartFolder part(options.folder);
  std::vector<MadeLine> lines(static_cast<std::size_t>(options.utterances));
  const bool finished = for_each_item(
      lines.size(),
      {.threads = options.threads, .progress = options.progress, .stop = options.stop},
      [&](int /*worker*/, std::size_t item) {
        const DemoLine line = plan_line(options, static_cast<int>(item));
        lines[item] = make_line(line, *voice, part.path() / "wavs");
      });
  if (!finished) {
    return describe(options, *voice, DemoOutcome::stopped, 0);
  }
  std::int64_t samples = 0;
  for (const MadeLine& line : lines) {
    samples += line.samples;
  }
  write_tables(part.path(), lines, choose_eval(options));
  write_plain_file(part.path() / "demo.json",
                   json{{"settings", settings}, {"samples", samples}}.dump(2) + '\n');
  part.move_into_place();
  return describe(options, *voice, DemoOutcome::made, samples);
}

}  // namespace qanat
