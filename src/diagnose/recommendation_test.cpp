#include "diagnose/recommendation.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

Finding finding(const std::string& id, FindingSeverity severity, const Fix& fix) {
  return {.id = id, .title = "something", .severity = severity, .fixes = {fix}};
}

TEST(RecommendationTest, ReadsTheValueOutOfTheFlag) {
  const std::vector<Finding> findings = {
      finding("A", FindingSeverity::crit, {.key = "data.num_workers", .flag = "--num-workers 3"}),
      finding("B",
              FindingSeverity::warn,
              {.key = "data.preprocessing_mode",
               .flag = "--set data.preprocessing_mode=precompute (after qanat precompute)"}),
      finding("C",
              FindingSeverity::warn,
              {.key = "data.enable_static_shapes", .flag = "--enable-static-shapes"})};

  const std::vector<Recommendation> all = recommend(findings);

  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].value, "3");
  EXPECT_EQ(all[1].value, "precompute");
  EXPECT_EQ(all[2].value, "true");
  EXPECT_EQ(all[0].why, "A something");
}

TEST(RecommendationTest, WhatIsDoneOutsideTheRunIsNoSetting) {
  const std::vector<Finding> findings = {
      finding("A", FindingSeverity::crit, {.key = "system", .flag = "ulimit -l unlimited"})};

  EXPECT_TRUE(recommend(findings).empty());
}

TEST(RecommendationTest, ARemarkIsNoRecommendationAndAKeyComesOnce) {
  const Fix fix{.key = "data.num_workers", .flag = "--num-workers 3"};
  const Fix other{.key = "data.num_workers", .flag = "--num-workers 4"};
  const std::vector<Finding> findings = {finding("A", FindingSeverity::info, other),
                                         finding("B", FindingSeverity::warn, fix),
                                         finding("C", FindingSeverity::warn, other)};

  const std::vector<Recommendation> all = recommend(findings);

  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().flag, "--num-workers 3");
}

}  // namespace
}  // namespace qanat
