#include "diagnose/starvation_alarm.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

class StarvationAlarmTest : public testing::Test {
 protected:
  // How often it was raised in `steps` steps that waited `wait` of 100 ms.
  int feed(int steps, double wait) {
    int raised = 0;
    for (int i = 0; i < steps; ++i) {
      now_ += std::chrono::milliseconds(100);
      const StepPhases phases{.wait = Seconds(wait), .forward = Seconds(0.1 - wait)};
      raised += alarm_.observe(phases, now_) ? 1 : 0;
    }
    return raised;
  }

  StarvationAlarm alarm_;
  Clock::time_point now_{};
};

TEST_F(StarvationAlarmTest, ADeviceThatBeginsToStarveRaisesItOnceWithinAWindow) {
  EXPECT_EQ(feed(100, 0.001), 0);

  EXPECT_EQ(feed(static_cast<int>(StarvationAlarm::kSteps), 0.04), 1);
  EXPECT_EQ(feed(500, 0.04), 0);
}

TEST_F(StarvationAlarmTest, OneLongStallIsNoStarvation) {
  EXPECT_EQ(feed(50, 0.001), 0);
  EXPECT_FALSE(alarm_.observe({.wait = Seconds{5}, .forward = Seconds{0.1}}, now_));
  EXPECT_EQ(feed(50, 0.001), 0);
}

TEST_F(StarvationAlarmTest, ItIsRaisedAgainAfterTheDeviceWasFedWell) {
  EXPECT_EQ(feed(50, 0.04), 1);
  EXPECT_EQ(feed(1000, 0.001), 0);  // 100 s

  EXPECT_EQ(feed(50, 0.04), 1);
}

TEST_F(StarvationAlarmTest, AShareBetweenTheMarksKeepsItAsItIs) {
  EXPECT_EQ(feed(50, 0.04), 1);
  EXPECT_EQ(feed(1000, 0.01), 0);  // less than starving, more than fed

  EXPECT_EQ(feed(50, 0.04), 0);
}

TEST_F(StarvationAlarmTest, WarningsAreAMinuteApart) {
  EXPECT_EQ(feed(50, 0.04), 1);
  EXPECT_EQ(feed(50, 0.001), 0);

  EXPECT_EQ(feed(50, 0.04), 0);
}

}  // namespace
}  // namespace qanat
