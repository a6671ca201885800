#include "monitor/neighbour_watch.h"

#include <array>

#include <gtest/gtest.h>

namespace qanat {
namespace {

constexpr std::string_view kStat =
    "cpu  9000 0 0 0 0 0 0 0 0 0\n"
    "cpu0 100 20 30 4000 500 6 7 8 0 0\n"
    "cpu1 1000 0 0 4000 0 0 0 0 0 0\n"
    "cpu10 5000 0 0 0 0 0 0 0 0 0\n"
    "intr 1 2 3\n";

TEST(NeighbourWatchTest, BusyTimeIsThatOfTheGivenCoresWithWhatAHypervisorTook) {
  EXPECT_NEAR(busy_seconds(kStat, std::array{0}).value(), 1.71, 1e-9);
  EXPECT_NEAR(busy_seconds(kStat, std::array{0, 1}).value(), 11.71, 1e-9);
}

TEST(NeighbourWatchTest, ACoreThatTheKernelDoesNotListIsUnknown) {
  EXPECT_FALSE(busy_seconds(kStat, std::array{2}).has_value());
  EXPECT_FALSE(busy_seconds("", std::array{0}).has_value());
}

TEST(NeighbourWatchTest, WithoutTheKernelsWordTheShareIsUnknown) {
  EXPECT_FALSE(NeighbourWatch("/nonexistent").others_share().has_value());
}

// What this process computes itself is no neighbour's; others may be busy meanwhile.
TEST(NeighbourWatchTest, TheShareIsWithinTheCores) {
  const NeighbourWatch watch;
  const Clock::time_point begin = Clock::now();
  while (seconds_since(begin) < Seconds{0.05}) {
  }

  const std::optional<double> share = watch.others_share();

  ASSERT_TRUE(share.has_value());
  EXPECT_GE(*share, 0);
  EXPECT_LE(*share, 1.5);  // ticks of 10 ms
}

}  // namespace
}  // namespace qanat
