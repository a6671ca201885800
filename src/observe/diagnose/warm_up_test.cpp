#include "diagnose/warm_up.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

std::vector<double> noisy(std::size_t count, double level, double deviation) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(level, deviation);
  std::vector<double> values(count);
  for (double& value : values) {
    value = normal(random);
  }
  return values;
}

TEST(WarmUpTest, ASlowStartIsCutToWithinAFractionOfAPercent) {
  std::vector<double> steps = noisy(300, 0.1, 0.005);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] += 0.4 * std::exp(-static_cast<double>(i) / 10);
  }

  const WarmUp warm_up = find_warm_up(steps);

  EXPECT_TRUE(warm_up.settled);
  EXPECT_GE(warm_up.steps, 25U);
  EXPECT_NEAR(mean(std::span<const double>(steps).subspan(warm_up.steps)), 0.1, 0.001);
  EXPECT_GT(mean(std::span<const double>(steps).subspan(5)), 0.108);  // a fixed cut is not enough
}

// 24 batches lie ready; each step of 10 ms uses one up, each 12 ms bring a new one.
TEST(StepsOnPrefillTest, APrefillThatIsUsedUpEndsTheBeginning) {
  std::vector<double> ready;
  ready.reserve(300);
  for (int i = 0; i < 300; ++i) {
    ready.push_back(std::max(0.0, 0.24 - 0.002 * i));
  }

  EXPECT_EQ(steps_on_prefill(ready, 0.0101), 115U);

  ready.insert(ready.begin(), 0.0);  // the first batch is taken at once
  EXPECT_EQ(steps_on_prefill(ready, 0.0101), 116U);
}

TEST(StepsOnPrefillTest, APrefillThatLastsOrComesBackIsNone) {
  EXPECT_EQ(steps_on_prefill(noisy(300, 0.24, 0.05), 0.01), 0U);

  std::vector<double> stalled(300, 0.24);
  std::fill(stalled.begin() + 100, stalled.begin() + 110, 0.0);
  EXPECT_EQ(steps_on_prefill(stalled, 0.01), 0U);
}

TEST(StepsOnPrefillTest, ARunThatBecomesSlowLaterHasChanged) {
  std::vector<double> ready(150, 0.24);
  ready.resize(300, 0.0);

  EXPECT_EQ(steps_on_prefill(ready, 0.01), 0U);
}

TEST(StepsOnPrefillTest, AFewBatchesHideNothing) {
  std::vector<double> ready(300, 0.0);
  ready[0] = 0.02;

  EXPECT_EQ(steps_on_prefill(ready, 0.01), 0U);
  EXPECT_EQ(steps_on_prefill({}, 0.01), 0U);
  ready[0] = 0.24;  // and is gone at once
  EXPECT_EQ(steps_on_prefill(ready, 0.01), 0U);
  EXPECT_EQ(steps_on_prefill(std::vector{0.24}, 0.01), 0U);
}

TEST(WarmUpTest, ASteadySeriesLosesLittle) {
  EXPECT_LE(find_warm_up(noisy(300, 0.1, 0.005)).steps, 75U);
}

TEST(WarmUpTest, ASeriesThatNeverSettlesIsSaidToBe) {
  std::vector<double> steps(200);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] = 1.0 - static_cast<double>(i) * 0.004;
  }

  EXPECT_FALSE(find_warm_up(steps).settled);
}

TEST(WarmUpTest, AFewStepsAreAllKept) {
  EXPECT_EQ(find_warm_up(noisy(12, 1, 0.1)).steps, 0U);
}

}  // namespace
}  // namespace qanat
