#include "monitor/host_facts.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "monitor/kernel_files.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

// A machine made of files.
class HostFactsTest : public testing::Test {
 protected:
  HostFactsTest()
      : root_(fs::path(testing::TempDir()) / "HostFactsTest" /
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
  }
  HostFactsTest(const HostFactsTest&) = delete;
  HostFactsTest& operator=(const HostFactsTest&) = delete;
  ~HostFactsTest() override { fs::remove_all(root_); }

  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void mount_v2(const std::string& group) {
    put("proc/self/cgroup", "0::" + group + "\n");
    put("proc/self/mountinfo",
        "25 1 0:22 / /proc rw - proc proc rw\n"
        "36 35 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }

  fs::path root_;
};

TEST_F(HostFactsTest, AnEmptyMachineIsUnknownAndHasOneCore) {
  const HostFacts facts = read_host_facts(root_);

  EXPECT_EQ(facts, HostFacts{});
  EXPECT_EQ(allowed_cores(facts), 1);
  EXPECT_EQ(free_memory(facts), std::nullopt);
}

TEST_F(HostFactsTest, CoresAndMemoryComeFromTheKernel) {
  put("sys/devices/system/cpu/online", "0-7\n");
  put("proc/self/status", "Name:\tqanat\nCpus_allowed_list:\t0-1,4\nThreads:\t1\n");
  put("proc/meminfo", "MemTotal:       2048 kB\nMemFree:  1 kB\nMemAvailable:    1024 kB\n");

  const HostFacts facts = read_host_facts(root_);

  EXPECT_EQ(facts.online_cores, 8);
  EXPECT_EQ(facts.affinity_cores, 3);
  EXPECT_EQ(allowed_cores(facts), 3);
  EXPECT_EQ(memory_ceiling(facts), mebibytes(2));
  EXPECT_EQ(free_memory(facts), mebibytes(1));
}

TEST_F(HostFactsTest, AQuotaOfTwoAndAHalfCoresAllowsTwo) {
  mount_v2("/");
  put("sys/fs/cgroup/cpu.max", "250000 100000\n");
  put("sys/devices/system/cpu/online", "0-7\n");

  const HostFacts facts = read_host_facts(root_);

  EXPECT_EQ(facts.cpu_quota, 2.5);
  EXPECT_EQ(allowed_cores(facts), 2);
}

TEST_F(HostFactsTest, AQuotaBelowOneCoreStillAllowsOne) {
  mount_v2("/");
  put("sys/fs/cgroup/cpu.max", "50000 100000\n");

  EXPECT_EQ(allowed_cores(read_host_facts(root_)), 1);
}

TEST_F(HostFactsTest, TheTightestGroupAboveDecides) {
  mount_v2("/outer/inner");
  put("sys/fs/cgroup/outer/cpu.max", "200000 100000\n");
  put("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/outer/memory.max", "1000000\n");
  put("sys/fs/cgroup/outer/inner/memory.max", "3000000\n");

  const HostFacts facts = read_host_facts(root_);

  EXPECT_EQ(facts.cpu_quota, 2.0);
  EXPECT_EQ(facts.memory_limit, Bytes{1000000});
}

TEST_F(HostFactsTest, NoLimitIsNoValue) {
  mount_v2("/");
  put("sys/fs/cgroup/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/memory.max", "max\n");

  const HostFacts facts = read_host_facts(root_);

  EXPECT_EQ(facts.cpu_quota, std::nullopt);
  EXPECT_EQ(facts.memory_limit, std::nullopt);
}

TEST_F(HostFactsTest, PageCacheCountsAsHeadroom) {
  mount_v2("/");
  put("sys/fs/cgroup/memory.max", "1000\n");
  put("sys/fs/cgroup/memory.current", "900\n");
  put("sys/fs/cgroup/memory.stat", "anon 300\ninactive_file 500\nactive_file 100\n");

  EXPECT_EQ(read_host_facts(root_).memory_headroom, Bytes{600});
}

TEST_F(HostFactsTest, TheGroupsOfVersionOneAreRead) {
  put("proc/self/cgroup", "4:memory:/job\n2:cpu,cpuacct:/job\n");
  put("proc/self/mountinfo",
      "30 29 0:25 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "31 29 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "400000\n");
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000\n");
  put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "4000\n");
  put("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");

  const HostFacts facts = read_host_facts(root_);

  EXPECT_EQ(facts.cpu_quota, 4.0);
  EXPECT_EQ(facts.memory_limit, Bytes{5000});
  EXPECT_EQ(facts.memory_headroom, Bytes{1500});
}

TEST_F(HostFactsTest, AContainerThatSeesOnlyItsOwnGroupFindsItAtTheMountPoint) {
  put("proc/self/cgroup", "0::/docker/0123\n");
  put("proc/self/mountinfo", "36 35 0:30 /docker/0123 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
  put("sys/fs/cgroup/cpu.max", "300000 100000\n");

  EXPECT_EQ(read_host_facts(root_).cpu_quota, 3.0);
}

TEST_F(HostFactsTest, APathThatLeavesTheNamespaceFindsTheMountPoint) {
  mount_v2("/../../other");
  put("sys/fs/cgroup/cpu.max", "300000 100000\n");

  EXPECT_EQ(read_host_facts(root_).cpu_quota, 3.0);
}

TEST_F(HostFactsTest, DamagedReadingsAreUnknown) {
  mount_v2("/");
  put("sys/fs/cgroup/cpu.max", "many 100000\n");
  put("sys/fs/cgroup/memory.max", "-5\n");
  put("sys/devices/system/cpu/online", "3-1\n");
  put("proc/self/status", "Cpus_allowed_list:\tall\n");
  put("proc/meminfo", "MemTotal: 12 MB\nMemAvailable: x kB\n");

  EXPECT_EQ(read_host_facts(root_), HostFacts{});
}

TEST_F(HostFactsTest, ThisMachineHasAtLeastOneCoreAndSomeMemory) {
  const HostFacts facts = read_host_facts();

  EXPECT_GE(allowed_cores(facts), 1);
  ASSERT_TRUE(facts.total_memory.has_value());
  EXPECT_GT(facts.total_memory->value, 0);
}

TEST(HostShareTest, ProcessesDivideMemoryAndQuotaButNotWhatIsUnknown) {
  const HostFacts share =
      share_of({.affinity_cores = 8, .cpu_quota = 6, .total_memory = Bytes{1000}}, 2);

  EXPECT_EQ(share.affinity_cores, 8);
  EXPECT_EQ(share.cpu_quota, 3);
  EXPECT_EQ(share.total_memory, Bytes{500});
  EXPECT_FALSE(share.memory_limit);
}

TEST(KernelFilesTest, CoreListsAreCounted) {
  EXPECT_EQ(count_list("0-3,8,10-11\n"), 7);
  EXPECT_EQ(count_list("0"), 1);
  EXPECT_EQ(count_list(""), std::nullopt);
  EXPECT_EQ(count_list("0,,1"), std::nullopt);
  EXPECT_EQ(count_list("0-9223372036854775807"), std::nullopt);
}

TEST(KernelFilesTest, ListsMeetInACommonNumber) {
  EXPECT_TRUE(lists_meet("0-3,8", "3"));
  EXPECT_FALSE(lists_meet("0-3,8", "4-7"));
  EXPECT_FALSE(lists_meet("", "0"));
}

}  // namespace
}  // namespace qanat
