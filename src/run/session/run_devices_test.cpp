#include "session/run_devices.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

DevicePlan multi_plan() {
  return {.mode = RunMode::multi_gpu,
          .model = {.kind = DeviceKind::virtual_gpu, .index = 1},
          .data = DeviceId{.kind = DeviceKind::virtual_gpu, .index = 0}};
}

std::vector<int> first_cores(int count) {
  std::vector<int> cores(static_cast<std::size_t>(count));
  std::iota(cores.begin(), cores.end(), 0);
  return cores;
}

class ShareCoresTest : public testing::TestWithParam<int> {};

TEST_P(ShareCoresTest, GivesTheModelTheLargerShareAndNobodyNone) {
  const CoreShares shares = share_cores(multi_plan(), first_cores(GetParam()));

  EXPECT_GE(shares.model_threads, shares.data_threads);
  EXPECT_GE(shares.data_threads, 1);
  EXPECT_GE(shares.loader_threads, 1);
  for (const int core : shares.data) {
    EXPECT_THAT(shares.model, testing::Not(testing::Contains(core)));
  }
}

INSTANTIATE_TEST_SUITE_P(Cores, ShareCoresTest, testing::Values(1, 2, 3, 4, 8, 64));

TEST(ShareCoresTest, DividesTwoCoresEvenly) {
  const CoreShares shares = share_cores(multi_plan(), first_cores(2));

  EXPECT_THAT(shares.model, ElementsAre(0));
  EXPECT_THAT(shares.data, ElementsAre(1));
}

TEST(ShareCoresTest, LetsASingleDeviceUseAllCores) {
  const CoreShares shares = share_cores({}, first_cores(8));

  EXPECT_EQ(shares.model_threads, 8);
  EXPECT_EQ(shares.loader_threads, 2);
  EXPECT_THAT(shares.model, IsEmpty());
}

TEST(ShareCoresTest, KeepsOneCoreForAModelOnCuda) {
  const CoreShares shares =
      share_cores({.model = {.kind = DeviceKind::cuda, .index = 0}}, first_cores(8));

  EXPECT_EQ(shares.model_threads, 1);
  EXPECT_EQ(shares.loader_threads, 7);
}

constexpr DeviceId kVirtual{.kind = DeviceKind::virtual_gpu, .index = 0};

TEST(CoresOfProcessTest, AreDividedAndNobodyHasNone) {
  const std::vector<int> cores = {2, 3, 6, 7, 8};

  EXPECT_EQ(cores_of_process(cores, 0, 2), (std::vector<int>{2, 3}));
  EXPECT_EQ(cores_of_process(cores, 1, 2), (std::vector<int>{6, 7, 8}));
  EXPECT_EQ(cores_of_process(cores, 6, 7), (std::vector<int>{3}));
  EXPECT_TRUE(cores_of_process({}, 0, 2).empty());
}

TEST(MemoryLimitTest, IsAnEqualShareOfTheHostForEachVirtualGpu) {
  RunConfig config;
  config.pipeline.virtual_gpus = 2;
  const HostFacts host{.total_memory = mebibytes(8000)};

  EXPECT_EQ(memory_limit(config, host, kVirtual, {}), mebibytes(4000));
}

TEST(MemoryLimitTest, IsTheSmallerOfTheDevicesMemoryAndItsBudget) {
  RunConfig config;
  config.pipeline.virtual_gpu_memory = Megabytes{1000};

  EXPECT_EQ(memory_limit(config, {}, kVirtual, mebibytes(600)), mebibytes(600));
  EXPECT_EQ(memory_limit(config, {}, kVirtual, mebibytes(2000)), mebibytes(1000));
}

TEST(MemoryLimitTest, LeavesThePlainCpuUnlimited) {
  EXPECT_FALSE(memory_limit({}, {.total_memory = mebibytes(8000)}, {}, {}).has_value());
}

TEST(MakeDevicesTest, EnforcesTheBudgetsOfThePlan) {
  DevicePlan plan = multi_plan();
  plan.data_budget = mebibytes(10);
  plan.model_budget = mebibytes(20);

  const RunDevices devices = make_devices({}, plan, read_host_facts());

  EXPECT_EQ(devices.data->memory().use().limit, mebibytes(10));
  EXPECT_EQ(devices.model->memory().use().limit, mebibytes(20));
  EXPECT_EQ(devices.model->id(), plan.model);
}

TEST(MakeDevicesTest, RefusesDevicesThatThisBuildCannotDrive) {
  EXPECT_THROW((void)make_devices({}, {.model = {.kind = DeviceKind::cuda, .index = 0}}, {}),
               Error);
}

}  // namespace
}  // namespace qanat
