// The commands and flags of the program as data, from the same declarations that parse them: what
// completions and manual pages are made of.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace qanat {

struct FlagFacts {
  std::vector<std::string> names;  // "-h", "--help"
  std::string placeholder;         // "FILE"; empty: takes no value
  std::string help;
  std::string group;  // heading in --help
};

struct CommandFacts {
  std::vector<std::string> path;  // {"data", "check"}; empty: the program itself
  std::string summary;
  std::string footer;
  std::vector<FlagFacts> flags{};
  std::vector<FlagFacts> positionals{};
  std::vector<std::string> subcommands{};

  std::string name() const;  // "qanat data check"
};

// The program first, then every group and command in the order of --help.
std::vector<CommandFacts> command_tree(const CLI::App& root);

}  // namespace qanat
