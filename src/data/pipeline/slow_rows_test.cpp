#include "pipeline/slow_rows.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(SlowRowsTest, TheSlowestItemsAreKept) {
  SlowRows rows;
  for (std::uint32_t item = 0; item < 100; ++item) {
    rows.add(item, Seconds(0.001 * (item % 50)));
  }

  const std::vector<SlowItem> slowest = rows.read();

  ASSERT_EQ(slowest.size(), SlowRows::kMax);
  EXPECT_EQ(slowest.front().longest, Seconds(0.049));
  EXPECT_EQ(slowest.back().longest, Seconds(0.046));
}

TEST(SlowRowsTest, AnItemThatIsSlowAgainIsCountedNotRepeated) {
  SlowRows rows;
  rows.add(7, Seconds{0.2});
  rows.add(7, Seconds{0.3});

  const std::vector<SlowItem> slowest = rows.read();

  ASSERT_EQ(slowest.size(), 1U);
  EXPECT_EQ(slowest[0].longest, Seconds{0.3});
  EXPECT_EQ(slowest[0].times, 2);
}

}  // namespace
}  // namespace qanat
