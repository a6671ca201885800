#include "diagnose/periodicity.h"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "diagnose/periodicity_testing.h"

namespace qanat {
namespace {

std::vector<double> with_pulse(std::vector<double> values, std::size_t period, double height) {
  for (std::size_t i = period / 2; i < values.size(); i += period) {
    values[i] += height;
  }
  return values;
}

using Family = std::function<std::vector<double>(Random&, std::size_t)>;

int alarms(const Family& family, std::size_t count, int rounds) {
  Random random(10);
  int found = 0;
  for (int i = 0; i < rounds; ++i) {
    found += test_periodicity(family(random, count)).pattern ? 1 : 0;
  }
  return found;
}

// At most 5 % of 60 series, the wrong one in a hundred included.
TEST(PeriodicityTest, NoiseDriftShiftMemoryAndWarmUpAreNoPattern) {
  for (const Family& family : {Family(white),
                               Family(drift_series),
                               Family(level_shift_series),
                               Family(autoregressive_series),
                               Family(warm_up_series)}) {
    EXPECT_LE(alarms(family, 100, 60), 3);
  }
}

TEST(PeriodicityTest, AStallEveryEighthStepIsFoundWithItsPeriodAndCost) {
  Random random(11);
  int right = 0;
  for (int i = 0; i < 20; ++i) {
    const Periodicity found = test_periodicity(with_pulse(white(random, 100), 8, 0.08));
    right += found.pattern && found.pattern->period == 8 && found.pattern->phase == 4 ? 1 : 0;
    ASSERT_TRUE(found.pattern);
    EXPECT_NEAR(found.pattern->excess_seconds, 0.08, 0.02);
    EXPECT_NEAR(found.pattern->seconds_per_step, 0.01, 0.005);
  }

  EXPECT_GE(right, 19);
}

TEST(PeriodicityTest, ALongPeriodIsFoundWithSixCycles) {
  Random random(12);

  const Periodicity found = test_periodicity(with_pulse(white(random, 300), 50, 0.3));

  ASSERT_TRUE(found.pattern);
  EXPECT_EQ(found.pattern->period, 50U);
}

TEST(PeriodicityTest, TooFewCyclesAreNotTested) {
  Random random(13);

  EXPECT_EQ(test_periodicity(white(random, 100)).longest_tested, 16U);
  EXPECT_EQ(test_periodicity(white(random, 10)).longest_tested, 0U);
}

TEST(PeriodicityTest, LongSeriesAreTestedAtTheirEnd) {
  Random random(14);

  const Periodicity found = test_periodicity(with_pulse(white(random, 5003), 20, 0.1));

  ASSERT_TRUE(found.pattern);
  EXPECT_EQ(found.pattern->period, 20U);
  EXPECT_EQ(found.pattern->phase, 10U);  // counted from the first step of all
}

TEST(PeriodicityTest, APeriodIsExplainedByTheCadenceThatHasIt) {
  const std::vector<Cadence> cadences = {{"training.log_every", 10}, {"training.save_every", 50}};

  EXPECT_EQ(match_cadence(50, cadences)->name, "training.save_every");
  EXPECT_FALSE(match_cadence(7, cadences));
}

}  // namespace
}  // namespace qanat
