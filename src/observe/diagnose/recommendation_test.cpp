#include "diagnose/recommendation.h"

#include <gtest/gtest.h>

#include "locale/messages/findings_hardware.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

Finding finding(const std::string& id, FindingSeverity severity, std::vector<Fix> fixes) {
  return {.id = id,
          .title = msg::why_nothing_trained{},
          .severity = severity,
          .fixes = std::move(fixes)};
}

const Fix kAction{.action = msg::hw007_reset{}};
const Fix kThree{.key = "data.num_workers", .value = "3"};
const Fix kFour{.key = "data.num_workers", .value = "4"};
const Fix kBuffer{.key = "data.pipeline_buffer_size", .value = "8"};

TEST(RecommendationTest, TheFirstSettingOfAFindingIsRecommended) {
  const std::vector<Recommendation> all =
      recommend(std::vector{finding("A", FindingSeverity::crit, {kAction, kThree, kBuffer})});

  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].fix.key, "data.num_workers");
  EXPECT_EQ(all[0].fix.value, "3");
  EXPECT_EQ(all[0].finding, "A");
}

TEST(RecommendationTest, WhatIsDoneOutsideTheRunIsNoSetting) {
  EXPECT_TRUE(recommend(std::vector{finding("A", FindingSeverity::crit, {kAction})}).empty());
  EXPECT_EQ(setting_of(finding("A", FindingSeverity::crit, {kAction})), nullptr);
}

TEST(RecommendationTest, ARemarkIsNoRecommendationAndAKeyComesOnce) {
  const std::vector<Recommendation> all =
      recommend(std::vector{finding("A", FindingSeverity::info, {kFour}),
                            finding("B", FindingSeverity::warn, {kThree}),
                            finding("C", FindingSeverity::warn, {kFour})});

  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().fix.value, "3");
}

}  // namespace
}  // namespace qanat
