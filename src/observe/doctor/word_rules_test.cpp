#include "doctor/word_rules.h"

#include <gmock/gmock.h>

#include "locale/translator.h"

namespace qanat {
namespace {

using testing::HasSubstr;

TEST(WordRulesTest, ShowsWhichWordsDiffer) {
  EXPECT_EQ(word_difference({"the", "cat", "sat"}, {"the", "cat", "sat"}), "the cat sat");
  EXPECT_EQ(word_difference({"the", "cat", "sat"}, {"the", "bat", "sat"}), "the -cat- {bat} sat");
  EXPECT_EQ(word_difference({"the", "cat"}, {"cat"}), "-the- cat");
  EXPECT_EQ(word_difference({"cat"}, {"the", "cat"}), "{the} cat");
  EXPECT_EQ(word_difference({}, {}), "");
}

DoctorReport heard_with(const std::vector<double>& rates) {
  DoctorReport report;
  for (const double rate : rates) {
    report.heard.emplace_back(HeardWords{.difference = "a -b- {c}", .error_rate = rate});
  }
  return report;
}

TEST(WordRulesTest, ClipsWithOtherWordsAreFound) {
  std::vector<double> rates(40, 0.05);
  rates[7] = 0.35;
  rates[11] = 0.9;
  DoctorReport report = heard_with(rates);

  judge_words(report);

  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.findings[0].item, 7U);
  EXPECT_EQ(report.findings[0].action, ViewAction::check);
  EXPECT_EQ(report.findings[1].action, ViewAction::drop);
  EXPECT_THAT(Translator().tr(report.findings[1].detail), HasSubstr("a -b- {c}"));
}

TEST(WordRulesTest, ACommandThatMishearsTheSetSaysNothing) {
  DoctorReport report = heard_with(std::vector<double>(40, 0.8));

  judge_words(report);

  EXPECT_TRUE(report.findings.empty());
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_THAT(Translator().tr(report.skipped[0].why), HasSubstr("80 %"));
}

TEST(WordRulesTest, WithoutACommandTheRuleIsSkipped) {
  DoctorReport report;

  judge_words(report);

  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_THAT(Translator().tr(report.skipped[0].why), HasSubstr("--asr"));
}

}  // namespace
}  // namespace qanat
