#include "cli/help_formatter.h"

#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(HelpFormatterTest, WordsAreWrapped) {
  EXPECT_THAT(wrapped("a bb ccc dddd", 6), ElementsAre("a bb", "ccc", "dddd"));
  EXPECT_THAT(wrapped("longerthanall a", 5), ElementsAre("longerthanall", "a"));
  EXPECT_THAT(wrapped(" a  bb   ccc", 6), ElementsAre("a  bb", "ccc")) << "gaps are kept in a line";
  EXPECT_THAT(wrapped("  ", 5), IsEmpty());
}

TEST(HelpFormatterTest, ColumnsAreCountedNotBytes) {
  EXPECT_THAT(wrapped("سلام دنیا", 9), ElementsAre("سلام دنیا"));
  EXPECT_EQ(text_columns("می\u200Cشود \u2068--x\u2069"), 9);
}

CLI::Option* add_flag(CLI::App& app, const std::string& name, const std::string& words) {
  return app.add_flag(name)->description(words);
}

std::string help_of(CLI::App& app, int width) {
  app.formatter(std::make_shared<HelpFormatter>(width, Translator()));
  return app.help();
}

TEST(HelpFormatterTest, NoLineIsWiderThanTheTerminal) {
  CLI::App app("test", "tool");
  add_flag(app,
           "--a-flag-that-is-longer-than-its-column",
           "with " + std::string(40, 'x') + " and quite a few words to wrap");
  add_flag(app, "--short", "many words that need more than one line of sixty columns to be said");

  std::istringstream lines(help_of(app, 60));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 72) << line;  // 32 + one word of 40
  }
}

TEST(HelpFormatterTest, ShortNamesShareTheirLineAndLongOnesDoNot) {
  CLI::App app("test", "tool");
  add_flag(app, "--short", "words");
  add_flag(app, "--a-flag-that-is-longer-than-its-column", "more words");

  const std::string help = help_of(app, 80);

  EXPECT_THAT(help, HasSubstr("  --short                       words\n"));
  EXPECT_THAT(help,
              HasSubstr("  --a-flag-that-is-longer-than-its-column\n"
                        "                                more words\n"));
}

TEST(HelpFormatterTest, RequiredAndDefaultAreShownAndExclusionsAreNot) {
  CLI::App app("test", "tool");
  int number = 3;
  app.add_option("--needed", number, "words")->required()->type_name("N");
  app.add_option("--other", number, "words")->capture_default_str()->type_name("N");
  add_flag(app, "--on", "words")->excludes(add_flag(app, "--off", "words"));

  const std::string help = help_of(app, 80);

  EXPECT_THAT(help, HasSubstr("  --needed N (required)"));
  EXPECT_THAT(help, HasSubstr("  --other N=3 "));
  EXPECT_THAT(help, Not(HasSubstr("Excludes")));
}

TEST(HelpFormatterTest, CodeLosesItsTicksAndExamplesStayAsTheyAre) {
  CLI::App app("test", "tool");
  app.footer("Words about `--x`.\n\nExample:\n  tool " + std::string(100, 'x'));

  const std::string help = help_of(app, 60);

  EXPECT_THAT(help, HasSubstr("Words about --x.\n"));
  EXPECT_THAT(help, HasSubstr("\n  tool " + std::string(100, 'x') + "\n"));
}

TEST(HelpFormatterTest, CommandsAreListedWithTheirSummary) {
  CLI::App app("test", "tool");
  app.add_subcommand("check", "looks at things");

  EXPECT_THAT(help_of(app, 80), HasSubstr("  check                         looks at things\n"));
}

}  // namespace
}  // namespace qanat
