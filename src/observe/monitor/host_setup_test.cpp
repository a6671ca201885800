#include "monitor/host_setup.h"

#include <gmock/gmock.h>

#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

using testing::HasSubstr;

class HostSetupTest : public testing::Test {
 protected:
  HostSetupTest() {
    tree_.put("sys/devices/system/cpu/online", "0-7\n");
    tree_.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    tree_.put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    tree_.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n");
    tree_.put("sys/devices/system/node/online", "0-1\n");
    tree_.put("sys/devices/system/node/node0/cpulist", "0-1\n");
    tree_.put("sys/devices/system/node/node1/cpulist", "2-5\n");
    tree_.put("sys/devices/system/node/node2/cpulist", "6-7\n");
    tree_.put("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-3\n");
    tree_.put("proc/self/limits",
              "Limit                     Soft Limit           Hard Limit           Units\n"
              "Max locked memory         8388608              unlimited            bytes\n");
    tree_.put("proc/meminfo", "MemTotal:  1024 kB\nMemAvailable: 512 kB\nSwapTotal: 256 kB\n");
    tree_.put("proc/self/cgroup", "0::/\n");
    tree_.put("proc/self/mountinfo",
              "21 1 8:1 / / rw - ext4 /dev/root rw\n"
              "36 35 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    tree_.put("sys/fs/cgroup/cpu.max", "250000 100000\n");
    std::filesystem::create_directories(tree_.root() / "dev/shm");
  }

  KernelTree tree_;
};

TEST_F(HostSetupTest, EverythingThatCanBeReadIsRead) {
  const HostSetup setup = read_host_setup(tree_.root(), "/data");

  EXPECT_EQ(setup.online_cores, Reading<double>(8));
  EXPECT_EQ(setup.affinity_cores, Reading<double>(4));
  EXPECT_EQ(setup.cpu_quota, Reading<double>(2.5));
  EXPECT_EQ(setup.numa_nodes, Reading<double>(2));
  EXPECT_EQ(setup.core_nodes, Reading<std::string>("0,1"));
  EXPECT_EQ(setup.locked_memory, Reading<double>(8388608));
  EXPECT_EQ(setup.swap, Reading<double>(256 * 1024));
  EXPECT_EQ(setup.governor, Reading<std::string>("performance,powersave"));
  EXPECT_EQ(setup.clock_driver, Reading<std::string>("acpi-cpufreq"));
  EXPECT_EQ(setup.data_file_system, Reading<std::string>("ext4"));
  EXPECT_GT(setup.shared_memory.value().value_or(0), 0);
  EXPECT_EQ(cores_of(setup), 2);
}

TEST_F(HostSetupTest, NoLimitIsToldFromNotReadable) {
  tree_.put("sys/fs/cgroup/cpu.max", "max 100000\n");
  tree_.put("proc/self/limits", "Max locked memory   unlimited   unlimited   bytes\n");

  const HostSetup setup = read_host_setup(tree_.root(), "");

  EXPECT_TRUE(setup.cpu_quota.is_unlimited());
  EXPECT_TRUE(setup.locked_memory.is_unlimited());
  EXPECT_EQ(setup.data_file_system.why_not(), "no data folder was given");
}

TEST(HostSetupMissingTest, WhatCannotBeReadSaysWhyAndIsNeverZero) {
  const KernelTree tree;

  const HostSetup setup = read_host_setup(tree.root(), "/data");

  visit_setup(setup, [](const char* name, const auto& reading) {
    EXPECT_FALSE(reading) << name;
    EXPECT_THAT(reading.why_not(), testing::AnyOf(HasSubstr(": "), HasSubstr("no core"))) << name;
  });
  EXPECT_FALSE(setup.cpu_quota.is_unlimited());
  EXPECT_EQ(cores_of(setup), 1);
}

TEST_F(HostSetupTest, ItComesBackFromItsJson) {
  tree_.put("proc/self/limits", "damaged\n");
  const HostSetup setup = read_host_setup(tree_.root(), "/data");

  const Result<HostSetup> again = to_host_setup(to_json(setup));

  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value(), setup);
}

TEST(HostSetupJsonTest, FieldsOfAnotherKindAreUnknown) {
  const Result<HostSetup> setup = to_host_setup({{"online_cores", "many"}, {"governor", 3}});

  ASSERT_TRUE(setup.ok());
  EXPECT_FALSE(setup.value().online_cores);
  EXPECT_FALSE(setup.value().governor);
  EXPECT_FALSE(to_host_setup(nlohmann::json::array()).ok());
}

}  // namespace
}  // namespace qanat
