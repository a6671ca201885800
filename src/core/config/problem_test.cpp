#include "config/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/messages/configuration.h"

namespace qanat {
namespace {

TEST(ProblemTest, PartsThatAreMissingLeaveNoColons) {
  EXPECT_EQ(to_string({.where = "c.yaml:1:2", .key = "a.b", .what = "bad"}),
            "c.yaml:1:2: a.b: bad");
  EXPECT_EQ(to_string({.where = "", .key = "a.b", .what = "bad"}), "a.b: bad");
  EXPECT_EQ(to_string({.where = "c.yaml", .key = "", .what = "bad"}), "c.yaml: bad");
}

TEST(ProblemTest, TheErrorHasOneLineEach) {
  const ConfigError error(
      {{.where = "", .key = "a", .what = "x"}, {.where = "", .key = "b", .what = "y"}});

  EXPECT_STREQ(error.what(), "a: x\nb: y");
  EXPECT_EQ(error.problems().size(), 2);
}

TEST(ProblemTest, IsSaidInTheLanguageAskedFor) {
  const Problem problem{.where = "", .key = "a.b", .what = msg::problem_unknown_key_meant{"a.c"}};

  EXPECT_EQ(to_string(problem), "a.b: unknown key; did you mean a.c?");
  EXPECT_THAT(to_string(problem, Translator(Language::fa)), testing::HasSubstr("کلید ناشناخته"));
}

TEST(ProblemTest, ShownTextIsShortPrintableAndWhole) {
  EXPECT_EQ(shown("fine"), "fine");
  EXPECT_EQ(shown("a\nb\x1b[31m"), "a?b?[31m");
  EXPECT_EQ(shown(std::string(100, 'x')), std::string(60, 'x') + "...");
  EXPECT_EQ(shown(std::string(59, 'x') + "صدا"), std::string(59, 'x') + "...");
}

}  // namespace
}  // namespace qanat
