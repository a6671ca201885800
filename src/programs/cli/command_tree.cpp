#include "cli/command_tree.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"

namespace qanat {
namespace {

FlagFacts facts_of(const CLI::Option& option) {
  const bool takes_value = option.get_items_expected_max() != 0;  // --help has a type, too
  FlagFacts facts{.names = {},
                  .placeholder = takes_value ? option.get_type_name() : "",
                  .help = option.get_description(),
                  .group = option.get_group(),
                  .initial = option.get_default_str(),
                  .required = option.get_required()};
  if (facts.placeholder.empty() && takes_value) {
    facts.placeholder = "VALUE";
  }
  if (!option.get_positional()) {
    for (const std::string& name : option.get_snames()) {
      facts.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
      facts.names.push_back("--" + name);
    }
  } else {
    facts.names.push_back(option.get_name());
  }
  return facts;
}

// Words are filled lines, commands are indented, and the line before the first is their heading.
void take_footer(const std::string& text, CommandFacts& facts) {
  std::vector<std::string> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) {
      facts.examples.push_back(line.substr(2));
    } else if (!line.empty()) {
      words.push_back(line);
    }
  }
  if (!facts.examples.empty() && !words.empty()) {
    words.pop_back();
  }
  facts.footer = fmt::to_string(fmt::join(words, "\n"));
}

nlohmann::json flags_json(const std::vector<FlagFacts>& flags) {
  nlohmann::json list = nlohmann::json::array();
  for (const FlagFacts& flag : flags) {
    list.push_back({{"names", flag.names},
                    {"placeholder", flag.placeholder},
                    {"help", flag.help},
                    {"group", flag.group},
                    {"default", flag.initial},
                    {"required", flag.required}});
  }
  return list;
}

void visit(const CLI::App& app,
           const std::vector<std::string>& path,
           std::vector<CommandFacts>& into) {
  CommandFacts facts{.path = path, .summary = app.get_description(), .footer = ""};
  take_footer(app.get_footer(), facts);
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? facts.positionals : facts.flags).push_back(facts_of(*option));
  }
  const std::vector<const CLI::App*> inner =
      app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : inner) {
    facts.subcommands.push_back(command->get_name());
  }
  into.push_back(std::move(facts));
  for (const CLI::App* command : inner) {
    std::vector<std::string> longer = path;
    longer.push_back(command->get_name());
    visit(*command, longer, into);
  }
}

}  // namespace

std::string CommandFacts::name() const {
  std::string name = "qanat";
  for (const std::string& word : path) {
    name += " " + word;
  }
  return name;
}

std::vector<CommandFacts> command_tree(const CLI::App& part) {
  const CLI::App* root = &part;
  while (root->get_parent() != nullptr) {
    root = root->get_parent();
  }
  std::vector<CommandFacts> commands;
  visit(*root, {}, commands);
  return commands;
}

nlohmann::json to_json(const std::vector<CommandFacts>& commands, const Translator& words) {
  nlohmann::json list = nlohmann::json::array();
  for (const CommandFacts& command : commands) {
    list.push_back({{"name", command.name()},
                    {"summary", command.summary},
                    {"arguments", flags_json(command.positionals)},
                    {"flags", flags_json(command.flags)},
                    {"commands", command.subcommands},
                    {"footer", command.footer},
                    {"examples", command.examples}});
  }
  nlohmann::json codes = nlohmann::json::array();
  for (const auto& [code, meaning] : exit_codes()) {
    codes.push_back({{"code", code}, {"meaning", words.tr(Message{meaning})}});
  }
  return {{"commands", list}, {"exit_codes", codes}};
}

}  // namespace qanat
