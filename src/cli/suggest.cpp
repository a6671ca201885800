#include "cli/suggest.h"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/nearest.h"
#include "config/problem.h"

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

std::string line(const CLI::App& app,
                 std::string_view kind,
                 const std::string& given,
                 const std::optional<std::string>& meant) {
  const std::string path = command_path(app);
  return meant ? fmt::format(
                     "{} {}; did you mean {}? See `{} --help`", kind, shown(given), *meant, path)
               : fmt::format("{} {}; see `{} --help`", kind, shown(given), path);
}

// The first argument nobody took, a flag before anything else: what follows an unknown flag is
// most likely its value.
std::optional<std::string> first_unknown(const CLI::App& root) {
  const std::vector<std::string> unknown = root.remaining(true);
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

std::string explain_usage_error(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& app = reached_command(root);
  const std::optional<std::string> unknown = first_unknown(root);
  if (!unknown) {
    return fmt::format("{}; see `{} --help`", error.what(), command_path(app));
  }
  if (unknown->starts_with('-')) {
    return line(app, "unknown flag", *unknown, nearest(*unknown, flags_of(app)));
  }
  if (!commands_of(app).empty()) {
    return line(app, "unknown command", *unknown, nearest_command(app, *unknown));
  }
  return line(app, "unexpected argument", *unknown, std::nullopt);
}

}  // namespace qanat
