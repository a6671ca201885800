#include "config/yaml_document.h"

#include <exception>
#include <istream>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/utf8.h"
#include "config/yaml_builder.h"
#include "locale/messages.h"

namespace qanat {
namespace {

YamlPlace place_at(std::string_view text, std::size_t offset) {
  YamlPlace place;
  for (const char c : text.substr(0, offset)) {
    place.column = c == '\n' ? 1 : place.column + 1;
    place.line += c == '\n' ? 1 : 0;
  }
  return place;
}

// Problems to report before the parser runs: its own messages would be worse, or missing.
std::vector<Problem> refusals(std::string_view text, const std::string& name) {
  if (text.size() > kMostYamlBytes) {
    return {{.where = name,
             .key = "",
             .what = msg::yaml_too_large{.size = std::to_string(text.size()),
                                         .max = std::to_string(kMostYamlBytes)}}};
  }
  if (first_invalid_utf8(text)) {
    return {{.where = name, .key = "", .what = msg::yaml_not_utf8{}}};
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return {{.where = place_text(name, place_at(text, zero)),
             .key = "",
             .what = msg::yaml_zero_byte{}}};
  }
  return {};
}

// Tabs may not indent in YAML, and editors do not show them.
std::vector<Problem> tab_problems(std::string_view text, const std::string& name) {
  constexpr std::size_t kEnough = 20;
  std::vector<Problem> problems;
  int line = 0;
  while (!text.empty() && problems.size() < kEnough) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    ++line;
    const std::size_t first = whole.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || whole[first] == '#') {
      continue;
    }
    const std::size_t tab = whole.substr(0, first).find('\t');
    if (tab != std::string_view::npos) {
      const YamlPlace place{.line = line, .column = static_cast<int>(tab) + 1};
      problems.push_back({.where = place_text(name, place), .key = "", .what = msg::yaml_tab{}});
    }
  }
  return problems;
}

// yaml-cpp has no exact place for what is still open when the text ends.
YamlPlace place_of(const YAML::Exception& error, std::string_view text) {
  if (error.mark.is_null() || error.mark.pos >= static_cast<int>(text.size())) {
    return place_at(text, text.size());
  }
  return {.line = error.mark.line + 1, .column = error.mark.column + 1};
}

Message reason(const YAML::Exception& error) {
  return error.msg == "illegal EOF in scalar" ? Message(msg::yaml_open_quote{})
                                              : Message(msg::yaml_syntax{.reason = error.msg});
}

// A quote still open at the end is an error to yaml-cpp only if no line break comes last.
std::string_view without_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

void parse_into(YamlBuilder& builder, std::string_view text) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  while (parser.HandleNextDocument(builder)) {
  }
}

Problem not_a_map(const YamlNode& top, const std::string& name) {
  if (top.kind == YamlNode::Kind::null) {
    return {.where = name, .key = "", .what = msg::yaml_empty{}};
  }
  return {.where = place_text(name, top.place), .key = "", .what = msg::yaml_no_sections{}};
}

}  // namespace

std::string place_text(const std::string& name, YamlPlace place) {
  return fmt::format("{}:{}:{}", name, place.line, place.column);
}

YamlDocument parse_yaml(std::string_view file, const std::string& name) {
  const std::string_view text = without_trailing_blanks(file);
  YamlDocument document;
  document.problems = refusals(file, name);
  if (document.problems.empty()) {
    document.problems = tab_problems(text, name);
  }
  if (!document.problems.empty()) {
    return document;
  }
  YamlBuilder builder(name);
  const auto refuse = [&](YamlPlace place, const Message& what) {
    document.problems.push_back({.where = place_text(name, place), .key = "", .what = what});
  };
  try {
    parse_into(builder, text);
  } catch (const YamlRefused& refused) {
    refuse(refused.place, refused.message());
    return document;
  } catch (const YAML::Exception& error) {
    refuse(place_of(error, text), reason(error));
    return document;
  }
  document.top = builder.top();
  document.problems = builder.problems();
  if (document.top.kind != YamlNode::Kind::map) {
    document.problems.push_back(not_a_map(document.top, name));
  }
  return document;
}

}  // namespace qanat
