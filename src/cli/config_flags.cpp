#include "cli/config_flags.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/check.h"

namespace qanat {
namespace {

bool selects(std::string_view key, const FieldEntry& field) {
  return key == field.section || key == field.key;
}

std::string group_of(const FieldEntry& field) {
  std::string name = field.section;
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

// What stands behind the flag in the help: the unit when there is one.
std::string placeholder(const FieldEntry& field) {
  if (field.expected.starts_with("one of ")) {
    return "WORD";
  }
  if (field.expected.starts_with("text")) {
    return "PATH";
  }
  std::string unit(field.spec.unit_name == "s" ? "seconds" : field.spec.unit_name);
  std::ranges::transform(
      unit, unit.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return unit.empty() ? "N" : unit;
}

std::string help_of(const FieldEntry& field) {
  const std::string_view help = field.spec.help;
  if (field.is_bool) {
    return field.value == "true" ? fmt::format("{} (the default)", help) : std::string(help);
  }
  if (field.value == "none" || field.value == "auto") {
    return fmt::format("{} (default {})", help, field.value);
  }
  const bool choice = field.expected.starts_with("one of ");
  return fmt::format("{}{} (default {})", help, choice ? "; " + field.expected : "", field.value);
}

}  // namespace

void ConfigFlags::declare(CLI::App& app, std::initializer_list<std::string_view> keys) {
  app.add_option_function<std::string>(
         "--config",
         [this](const std::string& path) { request_.file = path; },
         "configuration file (YAML); --set and flags win over it")
      ->type_name("FILE");
  app.add_option(
         "--set",
         request_.sets,
         "set any key of the configuration, as in --set data.batch_size=32; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  const std::vector<FieldEntry> fields = list_fields(RunConfig{});
  for (const std::string_view key : keys) {
    const auto selected = [&](const FieldEntry& field) { return selects(key, field); };
    QANAT_CHECK(std::ranges::any_of(fields, selected)) << "no field or section " << key;
  }
  for (const FieldEntry& field : fields) {
    if (std::ranges::any_of(keys, [&](std::string_view key) { return selects(key, field); })) {
      add_field(app, field);
    }
  }
}

void ConfigFlags::add_field(CLI::App& app, const FieldEntry& field) {
  const std::vector<std::string> names = flag_names(field.spec);
  if (!field.is_bool) {
    for (const std::string& name : names) {
      const bool alias = name != names.front();
      add_value(app, field, name)->description(alias ? "same as " + names.front() : help_of(field));
    }
    return;
  }
  for (const std::string& name : names) {
    CLI::Option* on = add_switch(app, field, name, "true")->description(help_of(field));
    if (!field.spec.off_flag.empty()) {
      add_switch(app, field, std::string(field.spec.off_flag), "false")
          ->description("the opposite of " + name)
          ->excludes(on);
    }
  }
}

CLI::Option* ConfigFlags::add_value(CLI::App& app,
                                    const FieldEntry& field,
                                    const std::string& name) {
  // The text is checked by load(), together with everything else.
  const auto take_text = [this, key = field.key, name](const std::string& text) {
    take(key, name, text);
  };
  return app.add_option_function<std::string>(name, take_text)
      ->type_name(placeholder(field))
      ->group(group_of(field))
      ->take_last();
}

CLI::Option* ConfigFlags::add_switch(CLI::App& app,
                                     const FieldEntry& field,
                                     const std::string& name,
                                     const char* value) {
  const auto take_value = [this, key = field.key, name, value] { take(key, name, value); };
  return app.add_flag_callback(name, take_value)->group(group_of(field));
}

void ConfigFlags::take(const std::string& key, const std::string& name, const std::string& text) {
  Assignment& flag = request_.flags.emplace_back();
  flag.key = key;
  flag.value.text = text;
  flag.origin = name;
}

}  // namespace qanat
