#include "metrics/order_statistics.h"

#include <random>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(OrderStatisticsTest, QuantilesLieBetweenOrderStatistics) {
  const std::vector<double> values = {4, 1, 3, 2};

  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7}, 0.95), 7);
}

TEST(OrderStatisticsTest, TheMadOfNormalValuesIsTheirDeviation) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(10, 3);
  std::vector<double> values(20'000);
  for (double& value : values) {
    value = normal(random);
  }

  EXPECT_NEAR(scaled_mad(values), 3, 0.1);
  EXPECT_NEAR(standard_deviation(values), 3, 0.1);
}

TEST(OrderStatisticsTest, OneHiccupMovesTheDeviationButNotTheMad) {
  std::vector<double> values(100, 45);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += static_cast<double>(i % 5);
  }
  const double mad = scaled_mad(values);
  values[50] = 2000;

  EXPECT_NEAR(scaled_mad(values), mad, 0.5);
  EXPECT_GT(standard_deviation(values), 100);
}

TEST(OrderStatisticsTest, TooFewValuesGiveNoBound) {
  EXPECT_EQ(values_needed_for(0.95), 59U);
  EXPECT_EQ(values_needed_for(0.99), 299U);
  EXPECT_EQ(quantile_interval(std::vector<double>(298, 1.0), 0.99), std::nullopt);
  EXPECT_NE(quantile_interval(std::vector<double>(299, 1.0), 0.99), std::nullopt);
}

TEST(OrderStatisticsTest, TheIntervalOfAQuantileHoldsItNineteenTimesInTwenty) {
  std::mt19937_64 random(2);
  std::exponential_distribution<double> exponential(1);
  const double truth = -std::log(0.1);  // of the 90th percentile
  int held = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> values(200);
    for (double& value : values) {
      value = exponential(random);
    }
    const auto interval = quantile_interval(values, 0.9);
    ASSERT_TRUE(interval);
    held += interval->low <= truth && truth <= interval->high ? 1 : 0;
  }

  EXPECT_GE(held, 935);
  EXPECT_LE(held, 985);
}

}  // namespace
}  // namespace qanat
