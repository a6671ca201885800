#include "train/schedule.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

constexpr Schedule kSchedule{.peak = 1.0, .warmup = 10, .total = 110};

TEST(ScheduleTest, RisesInEqualStepsToThePeak) {
  EXPECT_DOUBLE_EQ(kSchedule.learning_rate(0), 0.1);
  EXPECT_DOUBLE_EQ(kSchedule.learning_rate(4), 0.5);
  EXPECT_DOUBLE_EQ(kSchedule.learning_rate(9), 1.0);
  EXPECT_DOUBLE_EQ(kSchedule.learning_rate(10), 1.0);
}

TEST(ScheduleTest, IsHalfWayDownInTheMiddleOfTheCosine) {
  EXPECT_NEAR(kSchedule.learning_rate(60), 0.05 + 0.95 / 2, 1e-12);
}

TEST(ScheduleTest, EndsAtFivePercentAndStaysThere) {
  EXPECT_NEAR(kSchedule.learning_rate(110), 0.05, 1e-12);
  EXPECT_NEAR(kSchedule.learning_rate(100'000), 0.05, 1e-12);
}

TEST(ScheduleTest, NeverFallsDuringWarmUpNorRisesAfterwards) {
  double before = 0;
  for (std::int64_t step = 0; step < 10; ++step) {
    EXPECT_GT(kSchedule.learning_rate(step), before);
    before = kSchedule.learning_rate(step);
  }
  for (std::int64_t step = 10; step < 120; ++step) {
    EXPECT_LE(kSchedule.learning_rate(step), before);
    before = kSchedule.learning_rate(step);
  }
}

TEST(ScheduleTest, ALongerRunContinuesWithoutAJumpAndEndsAtTheFloor) {
  const Schedule longer = continue_schedule(kSchedule, 210, 60);

  EXPECT_DOUBLE_EQ(longer.learning_rate(60), kSchedule.learning_rate(60));
  for (std::int64_t step = 60; step < 210; ++step) {
    EXPECT_LE(longer.learning_rate(step + 1), longer.learning_rate(step));
    EXPECT_GT(longer.learning_rate(step + 1), 0.95 * longer.learning_rate(step));
  }
  EXPECT_NEAR(longer.learning_rate(210), 0.05, 1e-12);
}

TEST(ScheduleTest, ARunThatHadReachedTheFloorStaysThere) {
  const Schedule longer = continue_schedule(kSchedule, 220, 110);

  EXPECT_NEAR(longer.learning_rate(110), 0.05, 1e-12);
  EXPECT_NEAR(longer.learning_rate(160), 0.05, 1e-12);
}

TEST(ScheduleTest, WarmUpGoesOnAsItWas) {
  EXPECT_EQ(continue_schedule(kSchedule, 1000, 5),
            (Schedule{.peak = 1.0, .warmup = 10, .total = 1000}));
}

TEST(ScheduleTest, SurvivesACheckpoint) {
  const Schedule anchored = continue_schedule(kSchedule, 210, 60);

  EXPECT_EQ(to_schedule(to_json(kSchedule)).value(), kSchedule);
  EXPECT_EQ(to_schedule(to_json(anchored)).value(), anchored);
  EXPECT_FALSE(to_schedule({{"peak", 1.0}}).ok());
}

TEST(ScheduleTest, PeakAndWarmUpFollowTheModelSize) {
  EXPECT_EQ(make_schedule({.size = ModelSize::nano, .total = 1'000'000}),
            (Schedule{.peak = 2e-3, .warmup = 40, .total = 1'000'000}));
  EXPECT_EQ(make_schedule({.size = ModelSize::big, .total = 1'000'000}),
            (Schedule{.peak = 3e-4, .warmup = 4000, .total = 1'000'000}));
}

TEST(ScheduleTest, WarmUpTakesAtMostATenthOfTheRunUnlessAskedFor) {
  EXPECT_EQ(make_schedule({.size = ModelSize::tiny, .total = 200}).warmup, 20);
  EXPECT_EQ(make_schedule({.size = ModelSize::tiny, .warmup = 150, .total = 200}).warmup, 150);
}

}  // namespace
}  // namespace qanat
