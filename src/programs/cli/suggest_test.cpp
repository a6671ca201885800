#include "cli/suggest.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/flags.h"
#include "locale/messages/help.h"

namespace qanat {
namespace {

class SuggestTest : public testing::Test {
 protected:
  SuggestTest() : SuggestTest(Language::en) {}

  void declare() {
    root_.require_subcommand(1);
    CLI::App* train = root_.add_subcommand("train", "");
    train->add_option("--batch-size", number_);
    Flags flags(*train, words_);
    flags.number("--rounds", number_, "N", {1, 1000}, msg::help_demo_rounds{});
    flags.choice("--fail-on", word_, "WHEN", {"crit", "never"}, msg::help_fail_on{});
    CLI::Option* on = flags.on("--on", on_, msg::help_json{});
    flags.on("--off", off_, msg::help_json{})->excludes(on);
    CLI::App* group = root_.add_subcommand("data", "");
    group->require_subcommand(1);
    group->add_subcommand("check", "")->add_option("--limit", number_)->required();
  }

  std::string answer_to(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    try {
      root_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      return words_.tr(explain_usage_error(root_, error));
    }
    return "accepted";
  }

  explicit SuggestTest(Language language) : words_(language) { declare(); }

  Translator words_;
  CLI::App root_{"test", "qanat"};
  int number_ = 0;
  std::string word_;
  bool on_ = false;
  bool off_ = false;
};

TEST_F(SuggestTest, AMistypedCommandFindsItsName) {
  EXPECT_EQ(answer_to({"trian"}), "unknown command trian; did you mean train? See `qanat --help`");
}

TEST_F(SuggestTest, AMistypedCommandIsNamedBeforeTheFlagsThatFollowIt) {
  EXPECT_EQ(answer_to({"trian", "--batch-size", "4"}),
            "unknown command trian; did you mean train? See `qanat --help`");
}

TEST_F(SuggestTest, AMistypedFlagBeforeACommandIsNamed) {
  EXPECT_EQ(answer_to({"--batch-size=4"}), "unknown flag --batch-size; see `qanat --help`");
}

TEST_F(SuggestTest, ACommandWithoutItsGroupFindsIt) {
  EXPECT_EQ(answer_to({"check"}),
            "unknown command check; did you mean data check? See `qanat --help`");
}

TEST_F(SuggestTest, AMistypedCommandOfAGroupFindsItsName) {
  EXPECT_EQ(answer_to({"data", "chek"}),
            "unknown command chek; did you mean check? See `qanat data --help`");
}

TEST_F(SuggestTest, AMistypedFlagFindsItsNameAndItsValueIsNotBlamed) {
  EXPECT_EQ(answer_to({"train", "--btach-size", "8"}),
            "unknown flag --btach-size; did you mean --batch-size? See `qanat train --help`");
}

TEST_F(SuggestTest, AFlagWithItsValueAttachedIsNamedWithoutIt) {
  EXPECT_EQ(answer_to({"train", "--batch_size=8"}),
            "unknown flag --batch_size; did you mean --batch-size? See `qanat train --help`");
}

TEST_F(SuggestTest, WhatResemblesNothingGetsNoSuggestion) {
  EXPECT_EQ(answer_to({"train", "--colour"}), "unknown flag --colour; see `qanat train --help`");
}

TEST_F(SuggestTest, AnArgumentNobodyTakesIsNamed) {
  EXPECT_EQ(answer_to({"train", "now"}), "unexpected argument now; see `qanat train --help`");
}

TEST_F(SuggestTest, AValueThatIsWrongSaysWhatIsRight) {
  EXPECT_EQ(answer_to({"train", "--rounds", "0"}),
            "--rounds: 0 is not valid; expected a whole number from 1 to 1000; see `qanat train "
            "--help`");
  EXPECT_EQ(answer_to({"train", "--rounds", "1.5"}),
            "--rounds: 1.5 is not valid; expected a whole number from 1 to 1000; see `qanat train "
            "--help`");
  EXPECT_EQ(answer_to({"train", "--fail-on", "x"}),
            "--fail-on: x is not valid; expected one of crit, never; see `qanat train --help`");
  EXPECT_EQ(answer_to({"train", "--batch-size", "x"}),
            "--batch-size: this value is not valid; see `qanat train --help`");
}

TEST_F(SuggestTest, AFlagWithoutItsValueIsNamed) {
  EXPECT_EQ(answer_to({"train", "--rounds"}), "--rounds needs a value; see `qanat train --help`");
}

TEST_F(SuggestTest, FlagsThatExcludeEachOtherAreNamed) {
  EXPECT_EQ(answer_to({"train", "--on", "--off"}),
            "--on and --off exclude each other; see `qanat train --help`");
}

class SuggestPersianTest : public SuggestTest {
 protected:
  SuggestPersianTest() : SuggestTest(Language::fa) {}
};

TEST_F(SuggestPersianTest, NothingOfTheLibraryIsSaid) {
  EXPECT_EQ(answer_to({"trian"}),
            "فرمان ناشناخته: \u2068trian\u2069؛ منظورتان \u2068train\u2069 بود؟ "
            "\u2068`qanat --help`\u2069 را ببینید");
  EXPECT_THAT(answer_to({"train", "--rounds", "0"}), testing::HasSubstr("پذیرفتنی نیست"));
  EXPECT_THAT(answer_to({"data", "check"}), testing::HasSubstr("الزامی است"));
}

TEST_F(SuggestTest, OtherErrorsNameTheCommandToo) {
  EXPECT_EQ(answer_to({"data", "check"}), "--limit is required; see `qanat data check --help`");
}

}  // namespace
}  // namespace qanat
