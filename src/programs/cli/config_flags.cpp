#include "cli/config_flags.h"

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "cli/command.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/help.h"

namespace qanat {
namespace {

bool selects(std::string_view key, const FieldEntry& field) {
  return key == field.section || key == field.key;
}

// What stands behind the flag in the help: the unit when there is one.
std::string placeholder(const FieldEntry& field) {
  if (field.kind == FieldKind::choice) {
    return "WORD";
  }
  if (field.kind == FieldKind::choices) {
    return "WORDS";
  }
  if (field.kind == FieldKind::text) {
    return "PATH";
  }
  std::string unit(field.spec.unit_name == "s" ? "seconds" : field.spec.unit_name);
  std::ranges::transform(
      unit, unit.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return unit.empty() ? "N" : unit;
}

Message help_of(const FieldEntry& field) {
  const Message help{field.spec.help};
  if (field.kind == FieldKind::on_off) {
    return field.value == "true" ? Message(msg::help_is_default{.help = help}) : help;
  }
  const bool has_value = field.value != "none" && field.value != "auto";
  const bool names_words =
      field.kind == FieldKind::choices || (field.kind == FieldKind::choice && has_value);
  return msg::help_default{
      .help =
          names_words ? Message(msg::help_choice{.help = help, .expected = field.expected}) : help,
      .value = field.value};
}

}  // namespace

void ConfigFlags::declare(Flags& flags, std::initializer_list<std::string_view> keys) {
  flags.app()
      .add_option_function<std::string>(
          "--config",
          [this](const std::string& path) { request_.file = path; },
          flags.words().tr(msg::help_config{}))
      ->type_name("FILE");
  flags.text("--set", request_.sets, "KEY=VALUE", msg::help_set{})->allow_extra_args(false);
  const std::vector<FieldEntry> fields = list_fields(RunConfig{});
  for (const std::string_view key : keys) {
    const auto selected = [&](const FieldEntry& field) { return selects(key, field); };
    QANAT_CHECK(std::ranges::any_of(fields, selected)) << "no field or section " << key;
  }
  for (const FieldEntry& field : fields) {
    if (std::ranges::any_of(keys, [&](std::string_view key) { return selects(key, field); })) {
      add_field(flags, field);
    }
  }
}

void ConfigFlags::add_field(Flags& flags, const FieldEntry& field) {
  const auto described = [&](CLI::Option* option, const Message& help) {
    return option->description(flags.words().tr(help))
        ->group(flags.words().tr(Message{field.heading}));
  };
  const std::vector<std::string> names = flag_names(field.spec);
  for (const std::string& name : names) {
    if (field.kind != FieldKind::on_off) {
      described(add_value(flags.app(), field, name),
                name == names.front() ? help_of(field)
                                      : Message(msg::help_same_as{.flag = names.front()}));
      continue;
    }
    CLI::Option* on = described(add_switch(flags.app(), field, name, "true"), help_of(field));
    if (!field.spec.off_flag.empty()) {
      described(add_switch(flags.app(), field, std::string(field.spec.off_flag), "false"),
                msg::help_opposite{.flag = name})
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
      ->take_last();
}

CLI::Option* ConfigFlags::add_switch(CLI::App& app,
                                     const FieldEntry& field,
                                     const std::string& name,
                                     const char* value) {
  const auto take_value = [this, key = field.key, name, value] { take(key, name, value); };
  return app.add_flag_callback(name, take_value);
}

LoadedConfig ConfigFlags::load_with_data() const {
  LoadedConfig config = load();
  if (!config.values.data.train_data) {
    throw UsageError(msg::data_none_given{});
  }
  return config;
}

void ConfigFlags::take(const std::string& key, const std::string& name, const std::string& text) {
  Assignment& flag = request_.flags.emplace_back();
  flag.key = key;
  flag.value.text = text;
  flag.origin = name;
}

}  // namespace qanat
