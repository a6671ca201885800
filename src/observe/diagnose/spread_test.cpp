#include "diagnose/spread.h"

#include <random>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::vector<double> steady(std::size_t count, double deviation) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(1, deviation);
  std::vector<double> values(count);
  for (double& value : values) {
    value = 0.045 * normal(random);
  }
  return values;
}

TEST(SpreadTest, OneHiccupIsAnEventNotAnOscillation) {
  std::vector<double> steps = steady(100, 0.02);
  steps[40] = 2.0;

  const Spread spread = measure_spread(steps);

  EXPECT_GT(spread.cv, 2.0);
  EXPECT_LT(spread.robust_cv, 0.04);
  EXPECT_EQ(spread.label, Steadiness::stable);
  EXPECT_EQ(spread.outliers, std::vector<std::size_t>{40});
}

TEST(SpreadTest, StallsOfEveryTenthStepAreSeenAlthoughTheMadIsBlindToThem) {
  std::vector<double> steps = steady(200, 0.02);
  for (std::size_t i = 0; i < steps.size(); i += 10) {
    steps[i] += 0.3;
  }

  const Spread spread = measure_spread(steps);

  EXPECT_LT(spread.robust_cv, 0.05);
  EXPECT_GT(spread.tail, 5);
  EXPECT_GT(spread.excess_share, 0.3);
  EXPECT_EQ(spread.num_outliers, 20U);
  EXPECT_EQ(spread.label, Steadiness::intermittent);
}

TEST(SpreadTest, StepsThatAllDifferAreJitter) {
  EXPECT_EQ(measure_spread(steady(200, 0.3)).label, Steadiness::jitter);
}

TEST(SpreadTest, ASteadySeriesIsStable) {
  EXPECT_EQ(measure_spread(steady(200, 0.03)).label, Steadiness::stable);
}

TEST(SpreadTest, EqualTimesHaveNoOutliers) {
  EXPECT_EQ(measure_spread(std::vector<double>(50, 0.1)).num_outliers, 0U);
}

}  // namespace
}  // namespace qanat
