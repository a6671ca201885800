#include <gmock/gmock.h>

#include "diagnose/diagnosis.h"
#include "diagnose/rules_testing.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

class RulesSetupTest : public RulesTest {
 protected:
  RulesSetupTest() {
    summary_.setup = SetupFacts{.workers = 3, .cores = 4, .memory_wanted = 1e9, .memory_free = 4e9};
    summary_.setup->data_set =
        DataSetFacts{.folder = "set", .rows = 100, .usable = 100, .batch_size = 16};
  }
};

TEST_F(RulesSetupTest, ASetupThatFitsPassesEverything) {
  for (const Rule& rule : setup_rules()) {
    EXPECT_TRUE(is_passed(decide(rule.id))) << rule.id;
  }
}

TEST_F(RulesSetupTest, KeysThatDoNothingAreNamed) {
  summary_.setup->inert_keys = {"data.data_gpu: no GPU", "data.model_gpu: no GPU"};

  const RuleOutcome outcome = decide("CFG007");

  expect_complete(outcome, "CFG007");
  EXPECT_THAT(english(std::get<Finding>(outcome).title),
              HasSubstr("2 keys were given that do nothing here: data.data_gpu"));
}

TEST_F(RulesSetupTest, MoreWorkersThanCoresAreAWarning) {
  summary_.setup->workers = 9;

  const RuleOutcome outcome = decide("CFG008");

  expect_complete(outcome, "CFG008");
  EXPECT_EQ(std::get<Finding>(outcome).severity, FindingSeverity::warn);
  EXPECT_EQ(std::get<Finding>(outcome).fixes[0].value, "3");
}

TEST_F(RulesSetupTest, DevicesThatAreNotThereAreCritical) {
  summary_.setup->device_problem = "cuda:7: no such device";

  const RuleOutcome outcome = decide("CFG009");

  expect_complete(outcome, "CFG009");
  EXPECT_EQ(std::get<Finding>(outcome).severity, FindingSeverity::crit);
  EXPECT_EQ(english(std::get<Finding>(outcome).title), "cuda:7: no such device");
}

TEST_F(RulesSetupTest, BudgetsBeyondTheFreeMemoryAreAWarning) {
  summary_.setup->memory_free = 0.5e9;

  expect_complete(decide("CFG010"), "CFG010");
}

TEST_F(RulesSetupTest, RowsThatAreNotUsedAreCounted) {
  summary_.setup->data_set->dropped = 2;
  expect_complete(decide("DATA001"), "DATA001");
  EXPECT_EQ(std::get<Finding>(decide("DATA001")).severity, FindingSeverity::info);

  summary_.setup->data_set->dropped = 10;
  EXPECT_EQ(std::get<Finding>(decide("DATA001")).severity, FindingSeverity::warn);
}

TEST_F(RulesSetupTest, ABatchLargerThanTheSetIsAWarning) {
  summary_.setup->data_set->usable = 10;

  const RuleOutcome outcome = decide("DATA002");

  expect_complete(outcome, "DATA002");
  EXPECT_EQ(std::get<Finding>(outcome).fixes[0].value, "10");
}

TEST_F(RulesSetupTest, WithoutADataSetNothingIsSaidOfIt) {
  summary_.setup->data_set.reset();

  EXPECT_THAT(skip_reason(decide("DATA001")), HasSubstr("no data set"));
}

TEST_F(RulesSetupTest, TheSetupSaysNothingAboutTheVerdict) {
  summary_.setup->device_problem = "cuda:7: no such device";

  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.verdict, VerdictKind::balanced) << english(diagnosis.why);
  EXPECT_EQ(diagnosis.findings.front().id, "CFG009");
}

TEST_F(RulesSetupTest, AJournalAloneIsNotAskedAboutItsSetup) {
  summary_.setup.reset();

  const Diagnosis diagnosis = diagnose_run(summary_);

  for (const SkippedCheck& check : diagnosis.skipped) {
    EXPECT_THAT(check.id, Not(HasSubstr("CFG")));
  }
}

// Every rule can be explained, in both languages; text and id say which.
TEST(RuleTextTest, EveryRuleSaysWhatItLooksForMeansAndAdvises) {
  for (const Rule& rule : all_rules()) {
    for (const MessageId id : {rule.text.looks_for, rule.text.means, rule.text.remedy}) {
      EXPECT_FALSE(Translator(Language::en).tr({.id = id}).empty()) << rule.id;
      EXPECT_FALSE(Translator(Language::fa).tr({.id = id}).empty()) << rule.id;
    }
    EXPECT_EQ(find_rule(rule.id), &rule);
  }
}

}  // namespace
}  // namespace qanat
