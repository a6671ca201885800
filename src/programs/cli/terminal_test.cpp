#include "cli/terminal.h"

#include <map>

#include <gtest/gtest.h>

namespace qanat {
namespace {

Terminal terminal_with(const std::map<std::string, std::string>& variables,
                       const StreamFacts& stream = {.is_terminal = true, .columns = 120}) {
  return describe_terminal(stream, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(TerminalTest, AnOrdinaryTerminalIsInteractiveColouredAndUnicode) {
  EXPECT_EQ(terminal_with({{"TERM", "xterm-256color"}, {"LANG", "en_GB.UTF-8"}}),
            (Terminal{.interactive = true, .width = 120, .color = true, .unicode = true}));
}

TEST(TerminalTest, AFileIsNeitherInteractiveNorColouredAndHasTheDefaultWidth) {
  EXPECT_EQ(terminal_with({{"TERM", "xterm"}, {"LANG", "en_GB.UTF-8"}},
                          {.is_terminal = false, .columns = std::nullopt}),
            (Terminal{.interactive = false, .width = 80, .color = false, .unicode = true}));
}

TEST(TerminalTest, ADumbTerminalGetsPlainLines) {
  EXPECT_EQ(terminal_with({{"TERM", "dumb"}, {"LANG", "en_GB.UTF-8"}}),
            (Terminal{.interactive = false, .width = 120, .color = false, .unicode = false}));
}

TEST(TerminalTest, ATerminalOfUnknownKindIsNotRewritten) {
  EXPECT_FALSE(terminal_with({}).interactive);
}

TEST(TerminalTest, NoColorTakesTheColourOnly) {
  const Terminal terminal = terminal_with({{"TERM", "xterm"}, {"NO_COLOR", "1"}});

  EXPECT_FALSE(terminal.color);
  EXPECT_TRUE(terminal.interactive);
}

TEST(TerminalTest, AnEmptyNoColorMeansNothing) {
  EXPECT_TRUE(terminal_with({{"TERM", "xterm"}, {"NO_COLOR", ""}}).color);
}

TEST(TerminalTest, TheFirstLocaleVariableThatIsNotEmptyDecides) {
  EXPECT_FALSE(terminal_with({{"LC_ALL", "C"}, {"LANG", "en_GB.UTF-8"}}).unicode);
  EXPECT_TRUE(terminal_with({{"LC_ALL", ""}, {"LC_CTYPE", "fa_IR.utf8"}, {"LANG", "C"}}).unicode);
}

TEST(TerminalTest, WithoutALocaleTextIsPlain) {
  EXPECT_FALSE(terminal_with({{"TERM", "xterm"}}).unicode);
}

TEST(TerminalTest, AnAbsurdlyNarrowTerminalStillHasRoomForAWord) {
  EXPECT_EQ(terminal_with({}, {.is_terminal = true, .columns = 1}).width, 20);
}

}  // namespace
}  // namespace qanat
