#include "transfer/ring_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::HasSubstr;

constexpr SlotLimits kLimits{.least = 3, .most = 8};

RingPeriod uneven() {
  return {.slots = 3,
          .prepare = Seconds{0.020},
          .copy = Seconds{0.005},
          .step = Seconds{0.030},
          .wait_share = 0.08};
}

TEST(RingTunerTest, DeepensARingWhoseStagesAreFastButUneven) {
  const SlotDecision decision = decide_slots(uneven(), kLimits);

  EXPECT_EQ(decision.slots, 5);
  EXPECT_THAT(decision.reason, HasSubstr("waited 8.0 %"));
  EXPECT_THAT(decision.reason,
              HasSubstr("preparing takes 20.00 ms on average and a step 30.00 ms"));
}

TEST(RingTunerTest, DoesNotDeepenForAStageThatIsTooSlow) {
  RingPeriod seen = uneven();
  seen.prepare = Seconds{0.035};

  EXPECT_EQ(decide_slots(seen, kLimits).slots, 3);
}

TEST(RingTunerTest, StopsAtTheMost) {
  RingPeriod seen = uneven();
  seen.slots = 8;

  EXPECT_EQ(decide_slots(seen, kLimits).slots, 8);
}

TEST(RingTunerTest, KeepsWhatTheUserFixed) {
  EXPECT_EQ(decide_slots(uneven(), {.least = 3, .most = 3}).slots, 3);
}

TEST(RingTunerTest, GivesASlotBackAfterALongCalm) {
  RingPeriod seen = uneven();
  seen.slots = 5;
  seen.wait_share = 0;
  seen.slack = Seconds{0.090};  // three steps
  EXPECT_EQ(decide_slots(seen, kLimits).slots, 5);
  seen.calm_periods = 8;

  const SlotDecision decision = decide_slots(seen, kLimits);
  EXPECT_EQ(decision.slots, 4);
  EXPECT_THAT(decision.reason, HasSubstr("lay ready 90.0 ms and longer"));
  seen.slots = 3;
  EXPECT_EQ(decide_slots(seen, kLimits).slots, 3);
}

TEST(RingTunerTest, KeepsSlotsThatWereNearlyNeeded) {
  RingPeriod seen = uneven();
  seen.slots = 5;
  seen.wait_share = 0;
  seen.calm_periods = 8;
  seen.slack = Seconds{0.060};  // two steps

  EXPECT_EQ(decide_slots(seen, kLimits).slots, 5);
}

TEST(RingTunerTest, DoesNotGoBackToADepthThatWasTooLittle) {
  RingPeriod seen = uneven();
  seen.slots = 5;
  seen.wait_share = 0;
  seen.calm_periods = 8;
  seen.slack = Seconds{0.120};
  seen.too_few = 4;

  EXPECT_EQ(decide_slots(seen, kLimits).slots, 5);
}

Clock::time_point at(int milliseconds) {
  return Clock::time_point{} + std::chrono::milliseconds(milliseconds);
}

SlotTimes times(int arrived, int done) {
  SlotTimes times;
  times.copy = {.begin = at(0), .end = at(arrived)};
  times.train = {.begin = at(arrived), .end = at(done)};
  return times;
}

TEST(StepPaceTest, AStepWhoseBatchWasThereIsAllTheConsumers) {
  const auto pace = step_pace(times(10, 60), at(30));

  EXPECT_DOUBLE_EQ(pace->own.count(), 0.030);
  EXPECT_DOUBLE_EQ(pace->waited.count(), 0.0);
  EXPECT_DOUBLE_EQ(pace->slack.count(), 0.020);
}

TEST(StepPaceTest, TimeUntilTheBatchArrivesIsWaiting) {
  const auto pace = step_pace(times(40, 60), at(30));

  EXPECT_DOUBLE_EQ(pace->own.count(), 0.020);
  EXPECT_DOUBLE_EQ(pace->waited.count(), 0.010);
  EXPECT_DOUBLE_EQ(pace->slack.count(), 0.0);
}

TEST(StepPaceTest, ABatchThatWasNeverReadHasNoPace) {
  SlotTimes unfinished = times(40, 60);
  unfinished.train.end.reset();

  EXPECT_FALSE(step_pace(unfinished, at(30)).has_value());
}

}  // namespace
}  // namespace qanat
