#include <algorithm>
#include <cstdint>

#include "report/document.h"
#include "report/run_json.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

Json to_figure(const MessageArg& arg) {
  struct ToFigure {
    Json operator()(std::int64_t count) const { return count; }
    Json operator()(const Quantity& quantity) const { return quantity.value; }
    Json operator()(const std::string& text) const { return text; }
    Json operator()(const Message& message) const { return Translator().tr(message); }
    Json operator()(const MessageArg::List& list) const {
      Json array = Json::array();
      for (const MessageArg& part : list) {
        array.push_back(to_figure(part));
      }
      return array;
    }
  };
  return std::visit(ToFigure{}, arg.value());
}

Json to_figure(const Value& value) {
  if (value.figure) {
    return *value.figure;
  }
  return value.shown ? to_figure(*value.shown) : Json(nullptr);
}

void add_facts(const std::vector<Fact>& facts, Json& object) {
  for (const Fact& fact : facts) {
    if (fact.key.empty()) {
      add_facts(fact.parts, object);
    } else if (fact.parts.empty()) {
      object[fact.key] = to_figure(fact.value);
    } else {
      object[fact.key] = Json::object();
      add_facts(fact.parts, object[fact.key]);
    }
  }
}

Json rows_of(const Table& table) {
  Json array = Json::array();
  for (const Row& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!table.columns[i].key.empty()) {
        object[table.columns[i].key] = to_figure(row.cells.at(i));
      }
    }
    array.push_back(std::move(object));
  }
  return array;
}

void add_section(const Section& section, Json& object) {
  add_facts(section.facts, object);
  for (const Table& table : section.tables) {
    if (!table.key.empty()) {
      Json rows = rows_of(table);
      Json& all = object.emplace(table.key, Json::array()).first.value();
      all.insert(all.end(), rows.begin(), rows.end());
    }
  }
}

bool shows_diagnosis(const Section& section) {
  return section.shows != DiagnosisPart::none;
}

}  // namespace

nlohmann::ordered_json render_json(const Section& section) {
  Json object = Json::object();
  add_section(section, object);
  return object;
}

std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

void add_figures(const nlohmann::ordered_json& object, Section& section) {
  for (const auto& [key, value] : object.items()) {
    section.facts.push_back({.key = key, .value = figure_of(value)});
  }
}

nlohmann::ordered_json render_json(const Document& document) {
  Json object = Json::object();
  if (!document.schema.empty()) {
    object["schema"] = document.schema;
    object["schema_version"] = "1.0";
  }
  for (const Section& section : document.sections) {
    add_section(section, section.key.empty() ? object : object[section.key]);
  }
  if (std::ranges::any_of(document.sections, shows_diagnosis)) {
    object["report"] = document.diagnosis ? to_json(*document.diagnosis) : Json(nullptr);
  }
  return object;
}

}  // namespace qanat
