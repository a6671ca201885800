#include "cli/command_tree.h"

#include <utility>

namespace qanat {
namespace {

FlagFacts facts_of(const CLI::Option& option) {
  const bool takes_value = option.get_items_expected_max() != 0;  // --help has a type, too
  FlagFacts facts{.names = {},
                  .placeholder = takes_value ? option.get_type_name() : "",
                  .help = option.get_description(),
                  .group = option.get_group()};
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

void visit(const CLI::App& app, std::vector<std::string> path, std::vector<CommandFacts>& into) {
  CommandFacts facts{.path = path, .summary = app.get_description(), .footer = app.get_footer()};
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
    visit(*command, std::move(longer), into);
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

std::vector<CommandFacts> command_tree(const CLI::App& root) {
  std::vector<CommandFacts> commands;
  visit(root, {}, commands);
  return commands;
}

}  // namespace qanat
