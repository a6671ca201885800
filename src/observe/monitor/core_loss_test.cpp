#include "monitor/core_loss.h"

#include <gtest/gtest.h>

#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

TEST(ContentionLatchTest, CoresAreFreeUntilSomebodyTakesThem) {
  ContentionLatch latch;

  EXPECT_FALSE(latch.update(0.0));
  EXPECT_FALSE(latch.update(ContentionLatch::kContended - 0.01));
}

TEST(ContentionLatchTest, ContentionIsSeenAtOnce) {
  ContentionLatch latch;
  latch.update(0.0);

  EXPECT_TRUE(latch.update(ContentionLatch::kContended));
}

TEST(ContentionLatchTest, ContentionEndsAfterFreeReadingsInARow) {
  ContentionLatch latch;
  latch.update(1.0);
  for (int i = 1; i < ContentionLatch::kFreeReadings; ++i) {
    EXPECT_TRUE(latch.update(0.0));
  }

  EXPECT_FALSE(latch.update(0.0));
}

TEST(ContentionLatchTest, ANeighbourThatPausesStaysANeighbour) {
  ContentionLatch latch;
  latch.update(1.0);
  for (int i = 1; i < ContentionLatch::kFreeReadings; ++i) {
    latch.update(0.0);
  }
  latch.update(ContentionLatch::kFree);  // too little to begin with, too much to end with

  EXPECT_TRUE(latch.update(0.0));
}

TEST(ContentionLatchTest, WhatCannotBeReadChangesNothing) {
  ContentionLatch latch;

  EXPECT_FALSE(latch.update(std::nullopt));
  latch.update(1.0);
  for (int i = 0; i < 2 * ContentionLatch::kFreeReadings; ++i) {
    EXPECT_TRUE(latch.update(std::nullopt));
  }
}

// Every core the test may run on, busy for so many ticks of 10 ms.
std::string busy_for(int ticks) {
  std::string stat;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    stat += "cpu" + std::to_string(core) + " " + std::to_string(ticks) + " 0 0 0 0 0 0 0 0 0\n";
  }
  return stat;
}

class CoreLossWatchTest : public testing::Test {
 protected:
  void put(int busy_ticks, long long queued_ns) {
    tree_.put("proc/stat", busy_for(busy_ticks));
    tree_.put("proc/self/task/1/schedstat", "0 " + std::to_string(queued_ns) + " 1\n");
  }

  KernelTree tree_;
};

constexpr int kManyTicks = 1'000'000;
constexpr long long kManyNanoseconds = 1'000'000'000'000;

TEST_F(CoreLossWatchTest, IsWhatOthersTookAndThreadsWaitedFor) {
  put(0, 0);
  CoreLossWatch watch(tree_.root());
  put(kManyTicks, kManyNanoseconds);

  EXPECT_GT(watch.next().value(), 1);
}

TEST_F(CoreLossWatchTest, OthersOnCoresThatNoThreadWaitedForTakeNothing) {
  put(0, 0);
  CoreLossWatch watch(tree_.root());
  put(kManyTicks, 0);

  EXPECT_EQ(watch.next(), 0);
}

TEST_F(CoreLossWatchTest, ThreadsThatWaitForOneAnotherLoseNothing) {
  put(0, 0);
  CoreLossWatch watch(tree_.root());
  put(0, kManyNanoseconds);

  EXPECT_EQ(watch.next(), 0);
}

TEST_F(CoreLossWatchTest, EachReadingBeginsWhereTheLastEnded) {
  put(0, 0);
  CoreLossWatch watch(tree_.root());
  put(kManyTicks, kManyNanoseconds);
  watch.next();

  EXPECT_EQ(watch.next(), 0);
}

TEST_F(CoreLossWatchTest, WhatAQuotaWithholdsIsLost) {
  put(0, 0);
  tree_.put("proc/self/cgroup", "0::/\n");
  tree_.put("proc/self/mountinfo", "30 20 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree_.put("sys/fs/cgroup/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_usec 0\n");
  CoreLossWatch watch(tree_.root());
  tree_.put("sys/fs/cgroup/cpu.stat", "nr_periods 9\nnr_throttled 9\nthrottled_usec 900000000\n");

  EXPECT_GT(watch.next().value(), 1);
}

TEST_F(CoreLossWatchTest, IsUnknownWithoutTheKernelsWord) {
  EXPECT_EQ(CoreLossWatch(tree_.root()).next(), std::nullopt);
}

}  // namespace
}  // namespace qanat
