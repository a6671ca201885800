#include "diagnose/run_comparison.h"

#include <random>

#include <gtest/gtest.h>

namespace qanat {
namespace {

RunMeasures run_of(unsigned seed, double level, double variation = 0.02) {
  constexpr int kSteps = 200;
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> frames(300, 700);
  std::normal_distribution<double> noise(1, variation);
  RunTrace trace;
  for (int i = 0; i < kSteps; ++i) {
    const int length = frames(random);
    trace.add(StepRecord{.rows = 16,
                         .padded_frames = length,
                         .frames = 16 * length,
                         .phases = {.forward = Seconds(level * length * noise(random))}});
  }
  return measure_run(trace);
}

TEST(RunComparisonTest, TheSameSpeedIsNoChangeEvenWithOtherLengths) {
  EXPECT_EQ(compare_runs(run_of(1, 1e-4), run_of(2, 1e-4)).change, Change::none);
}

TEST(RunComparisonTest, ATenthSlowerIsARegression) {
  const RunComparison result = compare_runs(run_of(1, 1.1e-4), run_of(2, 1e-4));

  EXPECT_EQ(result.change, Change::slower);
  EXPECT_NEAR(result.ratio, 1 / 1.1, 0.01);
}

TEST(RunComparisonTest, ATenthFasterIsNone) {
  EXPECT_EQ(compare_runs(run_of(1, 0.9e-4), run_of(2, 1e-4)).change, Change::faster);
}

TEST(RunComparisonTest, TwoPercentAreWithinTolerance) {
  EXPECT_EQ(compare_runs(run_of(1, 1.02e-4), run_of(2, 1e-4)).change, Change::none);
}

TEST(RunComparisonTest, ARunThatIsAsFastButLessSteadyIsSaidToBe) {
  const RunComparison result = compare_runs(run_of(1, 1e-4, 0.06), run_of(2, 1e-4, 0.02));

  EXPECT_EQ(result.change, Change::none);
  EXPECT_EQ(result.spread.change, Steadier::less_steady);
  EXPECT_NEAR(result.spread.ratio, 3, 1);
}

TEST(RunComparisonTest, TheSameSteadinessIsNoChangeEvenWithOtherLengths) {
  EXPECT_EQ(compare_runs(run_of(1, 1e-4), run_of(2, 1e-4)).spread.change, Steadier::same);
}

}  // namespace
}  // namespace qanat
