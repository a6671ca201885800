#include "cli/command_tree.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(CommandTreeTest, OnlyOptionsTakeAValue) {
  CLI::App root("what it does", "qanat");
  root.set_help_flag("-h,--help", "print this and exit");
  bool flag = false;
  int count = 0;
  std::vector<std::string> port;
  root.add_flag("--json", flag);
  root.add_option("--steps", count)->type_name("COUNT");
  root.add_option("--plain", port)->type_name("");
  root.add_option("--dashboard", port)->expected(0, 1)->type_name("[PORT]");

  const std::vector<CommandFacts> commands = command_tree(root);

  std::map<std::string, std::string> placeholders;
  for (const FlagFacts& one : commands.front().flags) {
    placeholders[one.names.back()] = one.placeholder;
  }

  EXPECT_EQ(placeholders,
            (std::map<std::string, std::string>{{"--help", ""},
                                                {"--json", ""},
                                                {"--steps", "COUNT"},
                                                {"--plain", "VALUE"},
                                                {"--dashboard", "[PORT]"}}));
}

TEST(CommandTreeTest, SaysWhichArgumentsAreRequired) {
  CLI::App root("what it does", "qanat");
  std::string needed, optional;
  root.add_option("DIR", needed)->required();
  root.add_option("ID", optional);

  const std::vector<FlagFacts> arguments = command_tree(root).front().positionals;

  ASSERT_EQ(arguments.size(), 2);
  EXPECT_TRUE(arguments[0].required);
  EXPECT_FALSE(arguments[1].required);
}

}  // namespace
}  // namespace qanat
