// The commands and flags of the program as data, from the same declarations that parse them: what
// completions and manual pages are made of.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include "locale/translator.h"

namespace qanat {

struct FlagFacts {
  std::vector<std::string> names;  // "-h", "--help"
  std::string placeholder;         // "FILE"; empty: takes no value
  std::string help;
  std::string group;      // heading in --help
  std::string initial{};  // what it is when it is not given; empty: the help says it
  bool required = false;
};

struct CommandFacts {
  std::vector<std::string> path;  // {"data", "check"}; empty: the program itself
  std::string summary;
  std::string footer;                   // words
  std::vector<std::string> examples{};  // commands
  std::vector<FlagFacts> flags{};
  std::vector<FlagFacts> positionals{};
  std::vector<std::string> subcommands{};

  std::string name() const;  // "qanat data check"
};

// Lists the program that `part` belongs to: itself first, then every group and command in the
// order of --help.
std::vector<CommandFacts> command_tree(const CLI::App& part);

// The same for other programs, with the words of the program that no command has.
nlohmann::json to_json(const std::vector<CommandFacts>& commands, const Translator& words);

}  // namespace qanat
