#include "cli/suggest.h"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/nearest.h"
#include "config/problem.h"
#include "locale/messages/command_errors.h"

namespace qanat {
namespace {

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      flags.push_back(fmt::format("--{}", name));
    }
  }
  return flags;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Also finds a command that was asked for without its group: `check` is `data check`.
std::optional<std::string> nearest_command(const CLI::App& app, const std::string& given) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) {
    names.push_back(command->get_name());
    for (const CLI::App* inner : commands_of(*command)) {
      if (inner->get_name() == given) {
        return fmt::format("{} {}", command->get_name(), given);
      }
    }
  }
  return nearest(given, names);
}

Message line(const CLI::App& app, const Message& what, const std::optional<std::string>& meant) {
  const std::string path = command_path(app);
  return meant ? Message(msg::usage_meant{.what = what, .meant = *meant, .command = path})
               : Message(msg::usage_see{.what = what, .command = path});
}

// CLI11 tells what went wrong by the type of its error, and the flag by its name in the text.
std::string named_flag(const CLI::App& app, std::string_view text) {
  std::string named;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (name.size() > named.size() && text.find(name) != std::string_view::npos) {
      named = name;
    }
  }
  return named;
}

std::optional<std::string> missing_option(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_required() && option->count() == 0) {
      return option->get_name();
    }
  }
  return std::nullopt;
}

Message explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string flag = named_flag(app, text);
  if (const auto missing = missing_option(app); missing && error.get_name() == "RequiredError") {
    return msg::usage_required{.name = *missing};
  }
  if (flag.empty()) {
    return msg::usage_unreadable{};
  }
  if (error.get_name() == "ValidationError") {  // the words after the name are ours: cli/flags.h
    return msg::usage_flag{.flag = flag, .what = text.substr(text.find(": ") + 2)};
  }
  if (error.get_name() == "ExcludesError") {
    const std::size_t after = text.find(" excludes ");
    return msg::usage_excludes{.flag = text.substr(0, after),
                               .other = named_flag(app, text.substr(after))};
  }
  return error.get_name() == "ArgumentMismatch" ? Message(msg::usage_no_value{.flag = flag})
                                                : Message(msg::usage_bad_value{.flag = flag});
}

// The first argument nobody took. Where a command is due, the word that stands first is meant as
// one, and what follows belongs to it. Elsewhere a flag goes before words: what follows an unknown
// flag is most likely its value.
std::optional<std::string> first_unknown(const CLI::App& root, const CLI::App& reached) {
  const std::vector<std::string> unknown = root.remaining(true);
  if (!commands_of(reached).empty() && !unknown.empty()) {
    return unknown.front().substr(0, unknown.front().find('='));
  }
  for (const std::string& argument : unknown) {
    if (argument.starts_with('-')) {
      return argument.substr(0, argument.find('='));
    }
  }
  return unknown.empty() ? std::nullopt : std::optional(unknown.front());
}

}  // namespace

const CLI::App& reached_command(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
  }
  return *app;
}

std::string command_path(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name()
                           : fmt::format("{} {}", command_path(*parent), app.get_name());
}

Message explain_usage_error(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& app = reached_command(root);
  const std::optional<std::string> unknown = first_unknown(root, app);
  if (!unknown) {
    return line(app, explain(app, error), std::nullopt);
  }
  const std::string given = shown(*unknown);
  if (unknown->starts_with('-')) {
    return line(app, msg::usage_unknown_flag{.given = given}, nearest(*unknown, flags_of(app)));
  }
  if (!commands_of(app).empty()) {
    return line(app, msg::usage_unknown_command{.given = given}, nearest_command(app, *unknown));
  }
  return line(app, msg::usage_unexpected{.given = given}, std::nullopt);
}

}  // namespace qanat
