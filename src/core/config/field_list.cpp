#include "config/field_list.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "config/field_type.h"
#include "config/fields.h"
#include "config/nearest.h"
#include "config/problem.h"
#include "locale/messages/configuration.h"

namespace qanat {
namespace {

template <typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
struct ValueOf<std::optional<T>> {
  using Type = T;
};

template <typename T>
inline constexpr bool kIsChoices = false;
template <typename T>
inline constexpr bool kIsChoices<std::vector<T>> = std::is_enum_v<T>;

template <typename T>
constexpr FieldKind kind_of() {
  using Value = typename ValueOf<T>::Type;
  return std::is_same_v<Value, bool>          ? FieldKind::on_off
         : std::is_enum_v<Value>              ? FieldKind::choice
         : kIsChoices<Value>                  ? FieldKind::choices
         : std::is_same_v<Value, std::string> ? FieldKind::text
                                              : FieldKind::number;
}

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

// Why `value` cannot be the field.
template <typename T>
Message explained(const Scalar& value, const FieldSpec& spec, const T& fallback) {
  using Type = FieldType<T>;
  const Message expected = Type::expected(spec);
  const std::string example = Type::text(spec, fallback);
  if (value.text.empty()) {
    return msg::problem_no_value{.expected = expected, .example = example};
  }
  if (value.quoted && Type::read(spec, {.text = value.text})) {
    return msg::problem_quoted{
        .given = shown(value.text), .expected = expected, .example = example};
  }
  if (const auto meant = nearest(value.text, Type::words())) {
    return msg::problem_choice{.given = shown(value.text), .meant = *meant, .expected = expected};
  }
  return msg::problem_value{.given = shown(value.text), .expected = expected, .example = example};
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
                                .kind = kind_of<T>(),
                                .heading = section.heading});
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

std::optional<Message> assign_field(RunConfig& config, std::string_view key, const Scalar& value) {
  bool known = false;
  std::optional<Message> wrong;
  visit_all(config, [&]<typename T>(const SectionSpec& section, const FieldSpec& spec, T& field) {
    if (!is_key(key, section, spec)) {
      return;
    }
    known = true;
    if (std::optional<T> read = FieldType<T>::read(spec, value)) {
      field = *std::move(read);
    } else {
      wrong = explained(value, spec, field);
    }
  });
  if (known) {
    return wrong;
  }
  const std::optional<std::string> meant = nearest_key(key);
  return meant ? Message(msg::problem_unknown_key_meant{.meant = *meant})
               : Message(msg::problem_unknown_key{});
}

std::optional<std::string> nearest_key(std::string_view key) {
  std::vector<std::string> keys;
  const std::string_view bare = key.substr(key.rfind('.') + 1);
  for (const FieldEntry& field : list_fields(RunConfig{})) {
    if (field.spec.name == bare) {
      return field.key;
    }
    keys.push_back(field.key);
  }
  return nearest(key, keys);
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
