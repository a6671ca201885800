#include "monitor/host_counters.h"

#include <algorithm>
#include <atomic>

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/time.h"
#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

class HostCountersTest : public testing::Test {
 protected:
  HostCountersTest() {
    tree_.put("proc/pressure/cpu", "some avg10=0.10 avg60=0.00 avg300=0.00 total=2000000\n");
    tree_.put("proc/pressure/io",
              "some avg10=0.00 avg60=0.00 avg300=0.00 total=3000000\n"
              "full avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\n");
    tree_.put("proc/self/cgroup", "0::/job\n");
    tree_.put("proc/self/mountinfo", "36 35 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    tree_.put("sys/fs/cgroup/job/cpu.stat",
              "usage_usec 5\nnr_periods 200\nnr_throttled 50\nthrottled_usec 2500000\n");
    tree_.put("sys/fs/cgroup/job/cpu.pressure",
              "some avg10=0 avg60=0 avg300=0 total=4000000\n"
              "full avg10=0 avg60=0 avg300=0 total=1\n");
    tree_.put("proc/vmstat", "nr_free 1\npswpin 2\npswpout 3\n");
    tree_.put("proc/stat", "cpu  100 10 20 999 5 1 2 30 0 0\ncpu0 1 2 3\n");
    tree_.put("proc/self/stat",
              "7 (a ) name) R 1 1 1 0 -1 0 121 0 17 0 250 50 0 0 20 0 1 0 5 6 7\n");
    tree_.put("proc/self/io", "rchar: 1000\nwchar: 1\nread_bytes: 400\n");
    put_thread(10, "load-0", "1000000000 500000000 7");
    put_thread(11, "load-1", "2000000000 250000000 9");
    put_thread(12, "train", "5000000000 0 9");
  }

  void put_thread(int id, const std::string& name, const std::string& clocks) {
    const std::string folder = "proc/self/task/" + std::to_string(id);
    tree_.put(folder + "/comm", name + "\n");
    tree_.put(folder + "/schedstat", clocks + "\n");
  }

  KernelTree tree_;
};

TEST_F(HostCountersTest, EverythingThatCanBeReadIsRead) {
  const HostCounters c = read_host_counters(tree_.root());
  const double page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));

  EXPECT_EQ(c.cpu_some, Reading<double>(2));
  EXPECT_EQ(c.io_some, Reading<double>(3));
  EXPECT_EQ(c.io_full, Reading<double>(1.5));
  EXPECT_EQ(c.group_cpu_some, Reading<double>(4));
  EXPECT_EQ(c.periods, Reading<double>(200));
  EXPECT_EQ(c.throttled_periods, Reading<double>(50));
  EXPECT_EQ(c.throttled, Reading<double>(2.5));
  EXPECT_EQ(c.swapped_in, Reading<double>(2 * page));
  EXPECT_EQ(c.swapped_out, Reading<double>(3 * page));
  EXPECT_DOUBLE_EQ(c.machine_busy.value().value_or(0), 133 * tick);
  EXPECT_DOUBLE_EQ(c.machine_stolen.value().value_or(0), 30 * tick);
  EXPECT_EQ(c.major_faults, Reading<double>(17));
  EXPECT_DOUBLE_EQ(c.process_cpu.value().value_or(0), 300 * tick);
  EXPECT_EQ(c.read_bytes, Reading<double>(1000));
  EXPECT_EQ(c.storage_bytes, Reading<double>(400));
}

TEST_F(HostCountersTest, ThreadsAreSummedByName) {
  const HostCounters c = read_host_counters(tree_.root());

  EXPECT_EQ(c.threads,
            Reading<std::vector<ThreadClock>>(std::vector<ThreadClock>{
                {.name = "load", .threads = 2, .running = 3, .waiting = 0.75},
                {.name = "train", .threads = 1, .running = 5, .waiting = 0}}));
}

TEST_F(HostCountersTest, ThreadsOfAStreamAndThoseThatLibtorchStartsForItAreOneGroup) {
  for (const char* task : {"51", "52"}) {
    tree_.put(std::string("proc/self/task/") + task + "/comm", "paced/0\n");
    tree_.put(std::string("proc/self/task/") + task + "/schedstat", "2000000000 500000000 7\n");
  }

  const HostCounters c = read_host_counters(tree_.root());

  ASSERT_TRUE(c.threads);
  const auto found = std::ranges::find(*c.threads, "paced", &ThreadClock::name);
  ASSERT_NE(found, (*c.threads).end());
  EXPECT_EQ(*found, (ThreadClock{.name = "paced", .threads = 2, .running = 4, .waiting = 1}));
}

TEST_F(HostCountersTest, ThrottlingOfVersionOneIsInNanoseconds) {
  tree_.put("proc/self/cgroup", "2:cpu,cpuacct:/job\n");
  tree_.put("proc/self/mountinfo",
            "30 29 0:25 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  tree_.put("sys/fs/cgroup/cpu/job/cpu.stat",
            "nr_periods 10\nnr_throttled 4\nthrottled_time 1500000000\n");

  const HostCounters c = read_host_counters(tree_.root());

  EXPECT_EQ(c.throttled, Reading<double>(1.5));
  EXPECT_EQ(c.group_cpu_some.why_not(), "no control group of version 2 is mounted");
}

TEST_F(HostCountersTest, TheGroupThatWasHeldBackLongestCounts) {
  tree_.put("sys/fs/cgroup/cpu.stat", "nr_periods 9\nnr_throttled 9\nthrottled_usec 9000000\n");

  EXPECT_EQ(read_host_counters(tree_.root()).throttled, Reading<double>(9));
}

TEST_F(HostCountersTest, ItComesBackFromItsJson) {
  const HostCounters counters = read_host_counters(tree_.root());

  const Result<HostCounters> again = to_host_counters(to_json(counters));

  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value(), counters);
}

TEST(HostCountersMissingTest, WhyThreadsAreUnknownComesBackFromJson) {
  HostCounters counters;
  counters.threads = Reading<std::vector<ThreadClock>>::none("no /proc here");

  const Result<HostCounters> again = to_host_counters(to_json(counters));

  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value().threads.why_not(), "no /proc here");
}

TEST(HostCountersMissingTest, WhatCannotBeReadSaysWhyAndIsNeverZero) {
  const KernelTree tree;

  const HostCounters counters = read_host_counters(tree.root());

  visit_counters(counters, [](const char* name, const Reading<double>& reading) {
    EXPECT_FALSE(reading) << name;
    EXPECT_FALSE(reading.why_not().empty());
    EXPECT_NE(reading.why_not(), "not read") << name;
  });
  EXPECT_FALSE(counters.threads);
}

TEST(HostCountersMissingTest, AFileThatCannotBeReadSaysWhy) {
  const KernelTree tree;
  std::filesystem::create_directories(tree.root() / "proc/pressure/cpu");  // root may read any file

  EXPECT_THAT(read_host_counters(tree.root()).cpu_some.why_not(),
              testing::HasSubstr("proc/pressure/cpu: Is a directory"));
}

TEST(HostCountersHereTest, AThreadThatWorksIsFoundByItsName) {
  std::atomic<bool> stop{false};
  const auto worker = start_thread("busybee-3", [&stop](const std::stop_token&) {
    while (!stop) {
    }
  });
  double running = 0;
  const auto find = [](const HostCounters& c) {
    const auto& clocks = *c.threads;
    const auto clock = std::ranges::find(clocks, "busybee", &ThreadClock::name);
    return clock == clocks.end() ? 0.0 : clock->running;
  };

  const Clock::time_point begin = Clock::now();
  while (running == 0 && seconds_since(begin) < Seconds{30}) {
    const HostCounters counters = read_host_counters("/");
    ASSERT_TRUE(counters.threads) << counters.threads.why_not();
    running = find(counters);
  }
  stop = true;

  EXPECT_GT(running, 0);
}

}  // namespace
}  // namespace qanat
