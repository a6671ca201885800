// A report before it is text: facts, tables and sentences, none of which is formatted or said in a
// language yet. One builder makes it from what was measured; render_text(), render_json() and
// render_html() are three views of the same value.
//
// What has a `key` is in the JSON, what has a `name` is for people; most things have both. Values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/message.h"
#include "diagnose/diagnosis.h"
#include "locale/translator.h"
#include "report/figure.h"

namespace qanat {

// A measured number, a sentence, a name; nothing where it is not known.
struct Value {
  std::optional<MessageArg> shown{};
  std::optional<nlohmann::ordered_json> figure{};  // for programs; absent: what is shown
  bool is_english = false;                         // what is shown is a sentence; see in_english()

  Value() = default;
  Value(MessageArg arg) : shown(std::move(arg)) {}
  template <typename T>
  requires std::constructible_from<MessageArg, T> Value(T&& arg)
      : shown(std::in_place, std::forward<T>(arg)) {}
  template <typename T>
  requires std::constructible_from<MessageArg, T> Value(std::optional<T> arg) {
    if (arg) {
      shown.emplace(*std::move(arg));
    }
  }
  Value(std::optional<MessageArg> arg, nlohmann::ordered_json json)
      : shown(std::move(arg)), figure(std::move(json)) {}
};

// A sentence from below, which is English until errors are messages.
inline Value in_english(std::string sentence) {
  Value value(std::move(sentence));
  value.is_english = true;
  return value;
}

// For programs only.
inline Value figure_of(nlohmann::ordered_json json) {
  return {std::nullopt, std::move(json)};
}

// A name and what stands beside it: one value, or several with names of their own. In JSON several
// are an object, or without a key stand beside the other facts.
struct Fact {
  std::string key{};
  std::optional<MessageArg> name{};
  Value value{};
  std::vector<Fact> parts{};
};

struct Column {
  std::string key{};
  std::optional<Message> name{};
  bool is_number = true;
};

struct Row {
  std::vector<Value> cells;
  std::string link{};  // of the first cell, on pages
  std::string code{};  // below the first cell, on pages
};

// In JSON an array of objects.
struct Table {
  std::string key{};
  std::optional<Message> caption{};
  std::vector<Column> columns{};
  std::vector<Row> rows{};
};

// What the rules say of the document's run; report/run_text.h has the words.
enum class DiagnosisPart { none, verdict, findings, checks };

struct Section {
  std::string key{};               // its object in JSON; empty: its facts are the document's own
  std::optional<Message> title{};  // absent: facts stand without a heading
  std::optional<Message> lead{};   // a sentence beside the title
  std::optional<MessageArg> skipped{};  // why there is nothing else
  std::vector<Fact> facts{};
  std::vector<Table> tables{};
  DiagnosisPart shows = DiagnosisPart::none;
  std::vector<MessageArg> remarks{};                                          // sentences below
  std::vector<std::string> code{};                                            // lines to paste
  std::vector<std::function<std::optional<Figure>(const Words&)>> figures{};  // charts of pages
};

struct Document {
  std::string schema{};  // of the JSON; empty: it has none
  std::vector<Section> sections{};
  std::optional<Diagnosis> diagnosis{};  // that sections show
};

// Ends in a newline. Columns are as wide as what they hold.
std::string render_text(const Document& document, const Translator& translator = Translator());
std::string render_text(const Section& section, const Translator& translator = Translator());
// English, numbers in SI units, null where something is not known.
nlohmann::ordered_json render_json(const Document& document);
// The facts and tables that have a key.
nlohmann::ordered_json render_json(const Section& section);
// Sections of a page, without its frame.
std::string render_html(const Section& section, const Words& words);

// Figures for programs that came as an object.
void add_figures(const nlohmann::ordered_json& object, Section& section);

// "name: value" in English, for programs that show what people see.
std::vector<std::string> english_lines(const Section& section);

}  // namespace qanat
