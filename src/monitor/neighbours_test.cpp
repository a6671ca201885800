#include "monitor/neighbours.h"

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

}  // namespace
}  // namespace qanat
