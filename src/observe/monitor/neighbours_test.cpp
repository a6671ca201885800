#include "monitor/neighbours.h"

#include <array>

#include <gtest/gtest.h>

namespace qanat {
namespace {

HostCounters counters(double machine, double own, double stolen) {
  HostCounters all;
  all.machine_busy = machine;
  all.process_cpu = own;
  all.machine_stolen = stolen;
  return all;
}

Reading<Neighbours> in_ten_seconds(const HostCounters& after) {
  return measure_neighbours(counters(100, 50, 5), after, Seconds{10}, 4.0);
}

TEST(NeighboursTest, WhatOthersTookIsWhatTheMachineDidBeyondThisProcess) {
  const Reading<Neighbours> found = in_ten_seconds(counters(130, 60, 5));

  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ((*found).others, 2);
  EXPECT_DOUBLE_EQ((*found).busy_share(), 0.5);
  EXPECT_TRUE((*found).is_busy());
}

TEST(NeighboursTest, AMachineThatWorksForThisProcessOnlyIsNotBusy) {
  EXPECT_FALSE((*in_ten_seconds(counters(141, 90, 5))).is_busy());
}

TEST(NeighboursTest, TimeThatAHypervisorTookIsBusyToo) {
  const Reading<Neighbours> found = in_ten_seconds(counters(130, 80, 7));

  EXPECT_DOUBLE_EQ((*found).stolen_share(), 0.05);
  EXPECT_TRUE((*found).is_busy());
}

TEST(NeighboursTest, WhatCannotBeReadIsNotIdle) {
  HostCounters after = counters(130, 80, 5);
  after.process_cpu = Reading<double>::none("may not be read");

  EXPECT_EQ(in_ten_seconds(after).why_not(), "may not be read");
}

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
