#include "config/load_config.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "config/check_config.h"
#include "config/field_list.h"
#include "config/nearest.h"
#include "config/yaml_document.h"
#include "locale/message_error.h"
#include "locale/messages/configuration.h"

namespace qanat {
namespace {

constexpr std::size_t kMaxProblems = 50;  // of a file; more are not read anyway

// The state while loading; `problems` grows until everything has been checked.
struct Loading {
  LoadedConfig config;
  std::vector<Problem> problems;
};

void assign(Loading& loading, const Assignment& assignment, const std::string& where) {
  const std::optional<Message> wrong =
      assign_field(loading.config.values, assignment.key, assignment.value);
  if (wrong) {
    loading.problems.push_back({.where = where, .key = shown(assignment.key), .what = *wrong});
  } else {
    loading.config.origins[assignment.key] = assignment.origin;
  }
}

Message section_advice(const std::string& name) {
  std::vector<std::string> sections;
  for (const SectionSpec& section : list_sections()) {
    sections.emplace_back(section.name);
  }
  if (const std::optional<std::string> meant = nearest(name, sections)) {
    return msg::problem_unknown_section_meant{.meant = *meant};
  }
  if (const std::optional<std::string> meant = nearest_key(name)) {
    return msg::problem_unknown_key_meant{.meant = *meant};
  }
  return msg::problem_unknown_section{.sections = sections};
}

void take_entry(Loading& loading,
                const std::string& section,
                const YamlEntry& entry,
                const std::string& name) {
  const std::string key = section + "." + entry.key;
  const std::string where = place_text(name, entry.place);
  const YamlNode& value = entry.value;
  if (value.kind == YamlNode::Kind::map || value.kind == YamlNode::Kind::sequence) {
    loading.problems.push_back({.where = where,
                                .key = shown(key),
                                .what = value.kind == YamlNode::Kind::map
                                            ? Message(msg::problem_mapping{})
                                            : Message(msg::problem_list{})});
    return;
  }
  assign(
      loading,
      {.key = key, .value = value.scalar, .origin = fmt::format("{}:{}", name, entry.place.line)},
      where);
}

bool is_section(const std::string& name) {
  const std::vector<SectionSpec> sections = list_sections();
  return std::ranges::find(sections, name, &SectionSpec::name) != sections.end();
}

void take_section(Loading& loading, const YamlEntry& section, const std::string& name) {
  if (loading.problems.size() > kMaxProblems) {
    return;
  }
  const std::string where = place_text(name, section.place);
  if (!is_section(section.key)) {
    loading.problems.push_back(
        {.where = where, .key = shown(section.key), .what = section_advice(section.key)});
    return;
  }
  if (section.value.kind == YamlNode::Kind::null) {
    return;  // `data:` with nothing below
  }
  if (section.value.kind != YamlNode::Kind::map) {
    loading.problems.push_back(
        {.where = where, .key = section.key, .what = msg::problem_not_mapping{}});
    return;
  }
  for (const YamlEntry& entry : section.value.entries) {
    if (loading.problems.size() <= kMaxProblems) {
      take_entry(loading, section.key, entry, name);
    }
  }
}

void take_yaml(Loading& loading, std::string_view text, const std::string& name) {
  YamlDocument document = parse_yaml(text, name);
  std::ranges::move(document.problems, std::back_inserter(loading.problems));
  for (const YamlEntry& section : document.top.entries) {
    take_section(loading, section, name);
  }
  if (loading.problems.size() > kMaxProblems) {
    loading.problems.erase(loading.problems.begin() + kMaxProblems, loading.problems.end());
    loading.problems.push_back({.where = name, .key = "", .what = msg::problem_more{}});
  }
}

void take_file(Loading& loading, const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file, Bytes{kMaxYamlBytes});
  if (text) {
    take_yaml(loading, text.value(), file.string());
  } else {
    loading.problems.push_back({.where = "--config", .key = "", .what = reason_of(text.failure())});
  }
}

// In quotes a value is text even if it reads like a word: --set 'data.train_data="none"'.
Scalar set_value(const std::string& text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return {.text = text.substr(1, text.size() - 2), .quoted = true};
  }
  return {.text = text, .quoted = false};
}

void take_set(Loading& loading, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    loading.problems.push_back({.where = "--set", .key = shown(text), .what = msg::problem_set{}});
    return;
  }
  assign(loading,
         {.key = text.substr(0, equals),
          .value = set_value(text.substr(equals + 1)),
          .origin = "--set"},
         "--set");
}

// Finds conflicts even when some fields are wrong, but only between fields that are right.
void take_conflicts(Loading& loading) {
  const std::vector<Problem> known = loading.problems;
  const auto wrong = [&](const std::string& key) {
    return std::ranges::find(known, key, &Problem::key) != known.end();
  };
  for (Problem& conflict : problems(loading.config.values)) {
    const auto origin = loading.config.origins.find(conflict.key);
    conflict.where = origin == loading.config.origins.end() ? "" : origin->second;
    if (!wrong(conflict.key) && !wrong(conflict.other_key)) {
      loading.problems.push_back(std::move(conflict));
    }
  }
}

LoadedConfig finish(Loading loading) {
  take_conflicts(loading);
  if (!loading.problems.empty()) {
    throw ConfigError(std::move(loading.problems));
  }
  return std::move(loading.config);
}

}  // namespace

LoadedConfig load_config(const ConfigRequest& request) {
  Loading loading;
  if (request.file) {
    take_file(loading, *request.file);
  }
  for (const std::string& text : request.sets) {
    take_set(loading, text);
  }
  for (const Assignment& flag : request.flags) {
    assign(loading, flag, flag.origin);
  }
  return finish(std::move(loading));
}

LoadedConfig load_config_text(std::string_view yaml, const std::string& name) {
  Loading loading;
  take_yaml(loading, yaml, name);
  return finish(std::move(loading));
}

}  // namespace qanat
