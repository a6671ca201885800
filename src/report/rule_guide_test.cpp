#include "report/rule_guide.h"

#include <string>

#include <gmock/gmock.h>

#include "diagnose/rules.h"
#include "diagnose/rules_dual.h"

namespace qanat {
namespace {

class RuleGuideTest : public testing::TestWithParam<Rule> {};

TEST_P(RuleGuideTest, SaysWhatARuleMeansAndWhatToDoInBothLanguages) {
  for (const Language language : {Language::en, Language::fa}) {
    const std::optional<RuleGuide> guide = guide_of(GetParam().id, language);
    ASSERT_TRUE(guide) << GetParam().id;
    EXPECT_THAT(guide->meaning, testing::Not(testing::IsEmpty()));
    EXPECT_THAT(guide->remedy, testing::Not(testing::IsEmpty()));
  }
}

INSTANTIATE_TEST_SUITE_P(AllRules,
                         RuleGuideTest,
                         testing::ValuesIn(all_rules().begin(), all_rules().end()),
                         [](const auto& rule) { return std::string(rule.param.id); });

TEST(RuleGuidesTest, TheRulesAboutTwoDevicesHaveWordsToo) {
  for (const DualRule& rule : dual_rules()) {
    EXPECT_TRUE(guide_of(rule.id, Language::en)) << rule.id;
    EXPECT_TRUE(guide_of(rule.id, Language::fa)) << rule.id;
  }
}

TEST(RuleGuidesTest, TheCategoriesOfAllRulesHaveTitles) {
  for (const Rule& rule : all_rules()) {
    EXPECT_NE(category_title(rule.category, Language::fa), rule.category) << rule.id;
  }
}

TEST(RuleGuidesTest, KnowsNoOtherRules) {
  EXPECT_FALSE(guide_of("DL000", Language::en));
}

}  // namespace
}  // namespace qanat
