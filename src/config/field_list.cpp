#include "config/field_list.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "config/field_type.h"
#include "config/nearest.h"

namespace qanat {
namespace {

template <typename T>
struct IsBool : std::is_same<T, bool> {};
template <typename T>
struct IsBool<std::optional<T>> : IsBool<T> {};

// visit(section, spec, value) for every field of every section.
template <typename Config, typename Visitor>
void visit_all(Config& config, Visitor&& visit) {
  visit_sections(config, [&](const SectionSpec& section, auto& part) {
    visit_fields(part, [&](const FieldSpec& spec, auto& value) { visit(section, spec, value); });
  });
}

std::string key_of(const SectionSpec& section, const FieldSpec& spec) {
  return fmt::format("{}.{}", section.name, spec.name);
}

bool is_key(std::string_view key, const SectionSpec& section, const FieldSpec& spec) {
  const std::size_t dot = section.name.size();
  return key.size() == dot + 1 + spec.name.size() && key.starts_with(section.name) &&
         key[dot] == '.' && key.ends_with(spec.name);
}

template <typename T>
Failure explained(const Failure& failure, const FieldSpec& spec, const T& fallback) {
  using Type = FieldType<T>;
  const std::string example = Type::text(spec, fallback);
  return {fmt::format("{}; expected {}; try {}", failure.what, Type::expected(spec), example)};
}

}  // namespace

std::vector<FieldEntry> list_fields(const RunConfig& config) {
  std::vector<FieldEntry> fields;
  visit_all(config,
            [&]<typename T>(const SectionSpec& section, const FieldSpec& spec, const T& value) {
              fields.push_back({.section = std::string(section.name),
                                .key = key_of(section, spec),
                                .spec = spec,
                                .expected = FieldType<T>::expected(spec),
                                .value = FieldType<T>::text(spec, value),
                                .is_bool = IsBool<T>::value});
            });
  return fields;
}

std::vector<SectionSpec> list_sections() {
  std::vector<SectionSpec> sections;
  const RunConfig config;
  visit_sections(config,
                 [&](const SectionSpec& section, const auto&) { sections.push_back(section); });
  return sections;
}

std::vector<std::string> flag_names(const FieldSpec& spec) {
  std::vector<std::string> names;
  std::istringstream list{std::string(spec.flag_names)};
  for (std::string name; std::getline(list, name, ',');) {
    names.push_back(name);
  }
  return names;
}

Result<Done> assign_field(RunConfig& config, std::string_view key, const Scalar& value) {
  bool known = false;
  std::optional<Failure> failure;
  visit_all(config, [&]<typename T>(const SectionSpec& section, const FieldSpec& spec, T& field) {
    if (!is_key(key, section, spec)) {
      return;
    }
    known = true;
    Result<T> read = FieldType<T>::read(spec, value);
    if (read) {
      field = std::move(read).value();
    } else {
      failure = explained(read.failure(), spec, field);
    }
  });
  if (!known) {
    return Failure{unknown_key_advice(key)};
  }
  if (failure) {
    return *failure;
  }
  return Done{};
}

std::string unknown_key_advice(std::string_view key) {
  std::vector<std::string> keys;
  const std::string_view bare = key.substr(key.rfind('.') + 1);
  for (const FieldEntry& field : list_fields(RunConfig{})) {
    if (field.spec.name == bare) {
      return fmt::format("unknown key; did you mean {}?", field.key);
    }
    keys.push_back(field.key);
  }
  if (const std::optional<std::string> meant = nearest(key, keys)) {
    return fmt::format("unknown key; did you mean {}?", *meant);
  }
  return "unknown key; `qanat config reference` lists them all";
}

nlohmann::json to_json(const RunConfig& config) {
  nlohmann::json all = nlohmann::json::object();
  visit_all(config,
            [&]<typename T>(const SectionSpec& section, const FieldSpec& spec, const T& value) {
              all[std::string(section.name)][std::string(spec.name)] = FieldType<T>::json(value);
            });
  return all;
}

}  // namespace qanat
