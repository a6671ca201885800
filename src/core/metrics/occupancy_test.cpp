#include "metrics/occupancy.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

using std::chrono::seconds;

TEST(OccupancyTest, TheThreeTimesAddUpToTheAge) {
  const Clock::time_point start;
  OccupancyClock clock(2, start);
  clock.change(1, 2, start + seconds(3));
  clock.change(2, 2, start + seconds(5));
  clock.change(0, 2, start + seconds(9));

  const Occupancy occupancy = clock.read(start + seconds(10));

  EXPECT_EQ(occupancy.empty, Seconds{4});
  EXPECT_EQ(occupancy.partial, Seconds{2});
  EXPECT_EQ(occupancy.full, Seconds{4});
  EXPECT_EQ(occupancy.total(), Seconds{10});
}

TEST(OccupancyTest, ALargerCapacityEndsFullness) {
  const Clock::time_point start;
  OccupancyClock clock(1, start);
  clock.change(1, 1, start);
  clock.change(1, 4, start + seconds(2));

  const Occupancy occupancy = clock.read(start + seconds(3));

  EXPECT_EQ(occupancy.full, Seconds{2});
  EXPECT_EQ(occupancy.partial, Seconds{1});
}

}  // namespace
}  // namespace qanat
