#include "diagnose/intervals.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::vector<double> autoregressive(std::mt19937_64& random, std::size_t count, double memory) {
  std::normal_distribution<double> normal(0, 1);
  std::vector<double> values(count);
  double state = normal(random);
  for (double& value : values) {
    state = memory * state + normal(random);
    value = 10 + state;
  }
  return values;
}

Range textbook_interval(std::span<const double> values) {
  const double half =
      1.96 * standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
  return {.low = mean(values) - half, .high = mean(values) + half};
}

// How many of 500 series have an interval that holds the true mean; 475 are promised.
int coverage(double memory, Range (*interval_of)(std::span<const double>)) {
  std::mt19937_64 random(6);
  int held = 0;
  for (int round = 0; round < 500; ++round) {
    const Range interval = interval_of(autoregressive(random, 300, memory));
    held += interval.low <= 10 && 10 <= interval.high ? 1 : 0;
  }
  return held;
}

TEST(IntervalsTest, TheMeanIsHeldWhereTheTextbookIntervalMissesIt) {
  EXPECT_LT(coverage(0.6, textbook_interval), 375);
  EXPECT_GE(coverage(0.6, mean_interval), 455);
}

TEST(IntervalsTest, IndependentValuesCountInFull) {
  std::mt19937_64 random(7);

  EXPECT_GT(effective_count(autoregressive(random, 400, 0)), 250);
}

TEST(IntervalsTest, NeighboursThatResembleEachOtherCountForFewer) {
  std::mt19937_64 random(8);

  EXPECT_LT(effective_count(autoregressive(random, 400, 0.8)), 100);
}

TEST(IntervalsTest, ARatioOfPairsIsMoreCertainThanItsParts) {
  std::mt19937_64 random(9);
  const std::vector<double> step = autoregressive(random, 200, 0.5);
  std::vector<double> rest = step;
  for (double& value : rest) {
    value *= 0.8;
  }

  const Range ratio = ratio_interval(step, rest);

  EXPECT_NEAR(ratio.low, 1.25, 1e-9);
  EXPECT_NEAR(ratio.high, 1.25, 1e-9);
}

TEST(IntervalsTest, TwoValuesAloneHaveAWideInterval) {
  const std::vector<double> values = {1.0, 1.2};

  const Range interval = mean_interval_of_few(values);

  EXPECT_NEAR(interval.high - 1.1, 12.706 * 0.1, 1e-3);
  EXPECT_NEAR(interval.low - 1.1, -12.706 * 0.1, 1e-3);
}

TEST(IntervalsTest, StudentsQuantilesFallTowardsThoseOfTheNormalDistribution) {
  for (std::size_t degrees = 1; degrees < 300; ++degrees) {
    EXPECT_GT(student_quantile(degrees), student_quantile(degrees + 1)) << degrees;
  }
  EXPECT_NEAR(student_quantile(20), 2.086, 0.02);
  EXPECT_NEAR(student_quantile(1000), 1.962, 0.002);
}

}  // namespace
}  // namespace qanat
