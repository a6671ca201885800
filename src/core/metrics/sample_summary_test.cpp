#include "metrics/sample_summary.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::vector<double> count_to(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(SampleSummaryTest, HoldsTheFiguresPeopleKnow) {
  const SampleSummary summary = summarise_sample(count_to(5));

  EXPECT_EQ(summary.count, 5U);
  EXPECT_DOUBLE_EQ(summary.mean, 3);
  EXPECT_DOUBLE_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summary.max, 5);
  EXPECT_DOUBLE_EQ(summary.p50, 3);
  EXPECT_NEAR(summary.std, 1.5811, 1e-4);
  EXPECT_NEAR(summary.variation(), 0.527, 1e-3);
}

TEST(SampleSummaryTest, APercentileIsThereFromTheCountThatBoundsItOn) {
  EXPECT_FALSE(summarise_sample(count_to(58)).p95.has_value());
  EXPECT_TRUE(summarise_sample(count_to(59)).p95.has_value());
  EXPECT_FALSE(summarise_sample(count_to(298)).p99.has_value());
  EXPECT_TRUE(summarise_sample(count_to(299)).p99.has_value());
}

TEST(SampleSummaryTest, NothingIsAllZero) {
  EXPECT_EQ(summarise_sample({}), SampleSummary{});
}

}  // namespace
}  // namespace qanat
