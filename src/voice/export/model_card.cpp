#include "export/model_card.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "history/run_history.h"
#include "locale/messages/exported_voice.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

// What may stand in a cell of a table: one line, no bars.
std::string as_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') {
      cell += "\\|";
    } else {
      cell += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  return cell;
}

class CardWriter {
 public:
  explicit CardWriter(const Translator& words) : words_(words) {}

  void title(const std::string& text) { card_ += fmt::format("# {}\n", text); }
  void heading(const Message& text) { card_ += fmt::format("\n## {}\n", words_.tr(text)); }
  void paragraph(const Message& text) { card_ += fmt::format("\n{}\n", words_.tr(text)); }
  void begin_table() { card_ += "\n| | |\n|---|---|\n"; }
  void row(const Message& name, const MessageArg& value) {
    card_ += fmt::format("| {} | {} |\n", words_.tr(name), as_cell(words_.said(value)));
  }
  void code(const std::string& lines) { card_ += fmt::format("\n```sh\n{}\n```\n", lines); }
  std::string take() { return std::move(card_); }

 private:
  const Translator& words_;
  std::string card_;
};

// The value at a JSON pointer, if it is a text; data sets by the name of their folder, since the
// rest of a path is nobody else's business.
std::optional<std::string> folder_name(const nlohmann::json& json, const char* pointer) {
  const nlohmann::json::json_pointer at(pointer);
  if (!json.contains(at) || !json.at(at).is_string()) {
    return std::nullopt;
  }
  const fs::path path(json.at(at).get<std::string>());
  const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return name.string();
}

void add_training(CardWriter& card, const ExportReport& report, const nlohmann::json& stored) {
  if (const auto data = folder_name(stored, "/config/data/train_data")) {
    card.row(msg::card_trained_on{}, *data);
  }
  if (const auto origin = folder_name(stored, "/init_from/folder")) {
    card.row(msg::card_began_with{}, *origin);
  }
  const fs::path journal = report.checkpoint.parent_path() / "journal.jsonl";
  std::error_code unknown;
  if (!fs::exists(journal, unknown)) {
    return;
  }
  const Result<RunRecord> record = read_run_record(journal);
  if (!record) {
    return;
  }
  const RunHistory& history = record.value().history;
  card.row(msg::card_steps_of_run{}, history.last_step + 1);  // they count from 0
  if (history.newest) {
    card.row(msg::card_loss{}, fmt::format("{:.3f}", history.newest->losses.total));
  }
  for (auto point = history.validations.rbegin(); point != history.validations.rend(); ++point) {
    if (point->score && point->best) {
      card.row(
          msg::card_best{},
          msg::card_best_is{.score = fmt::format("{:.3f}", *point->score), .step = point->step});
      break;
    }
  }
}

}  // namespace

std::string model_card(const ExportReport& report,
                       const nlohmann::json& stored,
                       const Translator& words) {
  CardWriter card(words);
  const std::string name = report.out.stem().string();
  card.title(name);
  card.paragraph(msg::card_intro{});
  card.begin_table();
  card.row(
      msg::card_model{},
      msg::card_model_is{.size = stored["model"]["size"].get<std::string>(), .step = report.step});
  card.row(msg::card_vocoder{}, report.vocoder);
  std::vector<std::string_view> languages;
  for (const LanguageTag& language : report.languages) {
    languages.push_back(to_string(language));
  }
  card.row(msg::card_languages{}, fmt::format("{}", fmt::join(languages, ", ")));
  std::string voices;
  for (std::size_t i = 0; i < report.voices.size(); ++i) {
    voices += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, report.voices[i]);
  }
  card.row(msg::card_voices{}, voices);
  card.row(msg::card_rate{}, fmt::format("{} Hz", report.sample_rate));
  card.row(msg::card_weights{}, report.weights == WeightType::f16 ? "f16" : "f32");
  add_training(card, report, stored);
  card.heading(msg::card_use{});
  card.code(
      fmt::format("piper -m {} -f hello.wav -- 'hello there.'", report.out.filename().string()));
  card.heading(msg::card_limits{});
  card.paragraph(stored["text"]["units"] == "phonemes" ? Message(msg::card_limits_phonemes{})
                                                       : Message(msg::card_limits_characters{}));
  return card.take();
}

}  // namespace qanat
