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
#include "page/figure.h"

namespace qanat {

// A measured number, a sentence, a name; nothing where it is not known.
struct Value {
  std::optional<MessageArg> shown{};
  std::optional<nlohmann::ordered_json> figure{};  // for programs; absent: what is shown

  // Implicit: a fact has its value as it is. What is forwarded is only what makes a MessageArg.
  // NOLINTBEGIN(google-explicit-constructor, bugprone-forwarding-reference-overload)
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
  // NOLINTEND(google-explicit-constructor, bugprone-forwarding-reference-overload)
  Value(std::optional<MessageArg> arg, nlohmann::ordered_json json)
      : shown(std::move(arg)), figure(std::move(json)) {}
};

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

// What a column holds; code is what people type, and names of keys; audio is where a page finds a
// file to play.
enum class CellKind { number, text, code, audio };

struct Column {
  std::string key{};
  std::optional<Message> name{};
  CellKind kind = CellKind::number;
  bool on_pages_only = false;
};

struct Row {
  std::vector<Value> cells;
  std::string link{};           // of the first cell, on pages
  std::string code{};           // below the first cell, on pages
  std::optional<double> bar{};  // behind the last cell, this share of the width there is
};

// In JSON an array of objects; those of a document with the same key are one array.
struct Table {
  std::string key{};
  std::optional<Message> caption{};
  std::vector<Column> columns{};
  std::vector<Row> rows{};
};

// What the rules say of the document's run; report/run_text.h has the words.
enum class DiagnosisPart { none, verdict, findings, checks };

// What a section is about: good news or bad. Colours pages.
enum class Mood { none, good, note, warning, error };

// Whether a page hides what is below a title, until a reader opens it.
enum class Fold { none, open, closed };

struct Section {
  std::string key{};               // its object in JSON; empty: its facts are the document's own
  std::optional<Message> title{};  // absent: facts stand without a heading
  std::optional<Message> lead{};   // a sentence beside the title
  std::optional<MessageArg> skipped{};  // why there is nothing else
  std::vector<Fact> facts{};
  std::vector<Table> tables{};
  DiagnosisPart shows = DiagnosisPart::none;
  std::vector<MessageArg> remarks{};  // sentences below
  std::vector<std::string> code{};    // lines to paste
  std::vector<std::function<std::optional<Figure>(const Translator&)>>
      figures{};           // charts of pages
  Mood mood = Mood::none;  // of the title where it is folded, else of the lead
  Fold fold = Fold::none;
  bool on_pages_only = false;
};

struct Document {
  std::string schema{};  // of the JSON; empty: it has none
  std::vector<Section> sections{};
  std::optional<Diagnosis> diagnosis{};  // that sections show
};

// What bars of a terminal are made of.
enum class Bars { blocks, ascii };

// Ends in a newline. Columns are as wide as what they hold. What stands in names cannot act on a
// terminal: it is written as escapes.
std::string render_text(const Document& document,
                        const Translator& translator = Translator(),
                        Bars bars = Bars::blocks);
std::string render_text(const Section& section,
                        const Translator& translator = Translator(),
                        Bars bars = Bars::blocks);
// English, numbers in SI units, null where something is not known.
nlohmann::ordered_json render_json(const Document& document);
// The same as text; bytes that are not UTF-8 become U+FFFD. Ends in a newline.
std::string to_text(const nlohmann::ordered_json& json);
// The facts and tables that have a key.
nlohmann::ordered_json render_json(const Section& section);
// Sections of a page, without its frame.
std::string render_html(const Section& section, const Translator& words);

// A list of names and values, for pages; empty when there are none.
std::string facts_html(const std::vector<Fact>& facts, const Translator& words);

// Figures for programs that came as an object.
void add_figures(const nlohmann::ordered_json& object, Section& section);

// "name: value" in English, for programs that show what people see.
std::vector<std::string> english_lines(const Section& section);

}  // namespace qanat
