#include "evaluate/statistics.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::vector<Weighted> all_equal(std::size_t count, double value) {
  return std::vector<Weighted>(count, {.value = value});
}

std::vector<Weighted> gaussian(std::size_t count, double mean, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Weighted> values(count);
  for (Weighted& one : values) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      sum += static_cast<double>(random() >> 11) * 0x1p-53;
    }
    one.value = mean + sum;
  }
  return values;
}

TEST(StatisticsTest, TheMeanOfOneValueIsThatValueForSure) {
  const Estimate estimate = estimate_mean(all_equal(1, 3.5));

  EXPECT_EQ(estimate.mean, 3.5);
  EXPECT_EQ(estimate.interval, (Range{3.5, 3.5}));
}

TEST(StatisticsTest, WordErrorsCountByWords) {
  const std::vector<Weighted> values = {{.value = 0.5, .weight = 2}, {.value = 0, .weight = 8}};

  EXPECT_NEAR(estimate_mean(values).mean, 0.1, 1e-12);
}

// The interval of a mean of 100 values of deviation 1 is about 1.96 / 10 to each side.
TEST(StatisticsTest, TheIntervalIsAsWideAsTheDeviationAsks) {
  const Estimate estimate = estimate_mean(gaussian(100, 5, 1));

  EXPECT_NEAR(estimate.interval.high - estimate.interval.low, 2 * 0.196, 0.06);
  EXPECT_LT(estimate.interval.low, estimate.mean);
  EXPECT_GT(estimate.interval.high, estimate.mean);
}

// 95 % of 200 samples should hold the truth; a binomial of 200 stays above 0.89 in all but 1e-4.
TEST(StatisticsTest, TheIntervalHoldsTheTruthAboutAsOftenAsItSays) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Range interval = estimate_mean(gaussian(40, 0, seed)).interval;
    held += interval.low <= 0 && interval.high >= 0 ? 1 : 0;
  }

  EXPECT_GE(held, 178);
}

TEST(StatisticsTest, TenDifferencesOfOneSignAreTwoOfAThousandAndTwentyFour) {
  EXPECT_DOUBLE_EQ(estimate_difference(all_equal(10, 0.2)).p_value, 2.0 / 1024);
}

TEST(StatisticsTest, NoDifferenceIsCertainToBeChance) {
  EXPECT_EQ(estimate_difference(all_equal(10, 0)).p_value, 1);
  EXPECT_EQ(estimate_difference(all_equal(50, 0)).p_value, 1);
}

TEST(StatisticsTest, ManyDifferencesAreDrawnByLot) {
  const PairedDifference clear = estimate_difference(gaussian(100, 1, 2));
  const PairedDifference none = estimate_difference(gaussian(100, 0, 3));

  EXPECT_LT(clear.p_value, 0.0001);
  EXPECT_GT(clear.p_value, 0);
  EXPECT_GT(none.p_value, 0.01);
}

TEST(StatisticsTest, TheExactAndTheRandomTestAgree) {
  std::vector<Weighted> values = gaussian(16, 0.4, 5);
  const double exact = estimate_difference(values).p_value;
  values.push_back({.value = 0, .weight = 1});  // one more: now by lot

  EXPECT_NEAR(estimate_difference(values).p_value, exact, 0.01);
}

}  // namespace
}  // namespace qanat
