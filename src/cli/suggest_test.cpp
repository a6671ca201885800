#include "cli/suggest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

class SuggestTest : public testing::Test {
 protected:
  SuggestTest() {
    root_.require_subcommand(1);
    CLI::App* train = root_.add_subcommand("train", "");
    train->add_option("--batch-size", number_);
    CLI::App* group = root_.add_subcommand("data", "");
    group->require_subcommand(1);
    group->add_subcommand("check", "")->add_option("--limit", number_)->required();
  }

  std::string answer_to(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    try {
      root_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      return explain_usage_error(root_, error);
    }
    return "accepted";
  }

  CLI::App root_{"test", "qanat"};
  int number_ = 0;
};

TEST_F(SuggestTest, AMistypedCommandFindsItsName) {
  EXPECT_EQ(answer_to({"trian"}), "unknown command trian; did you mean train? See `qanat --help`");
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

TEST_F(SuggestTest, OtherErrorsNameTheCommandToo) {
  EXPECT_EQ(answer_to({"data", "check"}), "--limit is required; see `qanat data check --help`");
}

}  // namespace
}  // namespace qanat
