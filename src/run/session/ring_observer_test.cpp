#include "session/ring_observer.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ReadingScheduleTest, AYoungRunIsReadOftenAndAnOldOneEveryTenSeconds) {
  const Clock::time_point start{};
  ReadingSchedule schedule(start);
  int first_ten_seconds = 0;
  int last_hundred = 0;
  for (Clock::time_point now = start; now < start + seconds(1000); now += milliseconds(10)) {
    const bool due = schedule.is_due(now);
    first_ten_seconds += due && now < start + seconds(10) ? 1 : 0;
    last_hundred += due && now >= start + seconds(900) ? 1 : 0;
  }

  EXPECT_GE(first_ten_seconds, 20);
  EXPECT_NEAR(last_hundred, 10, 1);
}

}  // namespace
}  // namespace qanat
