#include "monitor/nvml_probe.h"

#include <gmock/gmock.h>

#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

using testing::HasSubstr;

NvmlOptions fake() {
  return {.library = QANAT_FAKE_NVML};
}

TEST(NvmlProbeTest, WithoutTheLibraryTheReasonIsSaid) {
  NvmlProbe probe({.library = "libqanat-no-such-nvml.so.1"});

  EXPECT_FALSE(probe.setup());
  EXPECT_THAT(probe.setup().why_not(), HasSubstr("libqanat-no-such-nvml.so.1"));
  EXPECT_FALSE(probe.sample());
}

TEST(NvmlProbeTest, GpusAreToldByBusAndUuid) {
  const KernelTree tree;
  tree.put("sys/bus/pci/devices/0000:66:00.0/numa_node", "1\n");
  NvmlOptions options = fake();
  options.root = tree.root();

  const NvmlProbe probe(options);

  ASSERT_TRUE(probe.setup()) << probe.setup().why_not();
  const GpuSetup& setup = *probe.setup();
  EXPECT_EQ(setup.driver, "535.00");
  EXPECT_EQ(setup.cuda_version, Reading<double>(12020));
  ASSERT_EQ(setup.gpus.size(), 2U);
  EXPECT_EQ(setup.gpus[0].bus_id, Reading<std::string>("0000:65:00.0"));
  EXPECT_EQ(setup.gpus[1].uuid, Reading<std::string>("GPU-0000-1"));
  EXPECT_EQ(setup.gpus[1].numa_node, Reading<double>(1));
  EXPECT_FALSE(setup.gpus[0].numa_node);
  EXPECT_EQ(setup.gpus[0].clock_max, Reading<double>(2.52e9));
  ASSERT_EQ(setup.pairs.size(), 1U);
  EXPECT_EQ(setup.pairs[0].peer_copies, Reading<double>(1));
}

TEST(NvmlProbeTest, ASampleIsInBaseUnits) {
  const ScopedVariable limits("FAKE_NVML_LIMITS", "0x44");
  NvmlProbe probe(fake());

  const Reading<std::vector<GpuSample>> samples = probe.sample();

  ASSERT_TRUE(samples) << samples.why_not();
  const GpuSample& sample = (*samples)[0];
  EXPECT_EQ(sample.kernels_resident, Reading<double>(0.87));
  EXPECT_EQ(sample.clock, Reading<double>(1.5e9));
  EXPECT_EQ(sample.power, Reading<double>(301));
  EXPECT_EQ(sample.temperature, Reading<double>(61));
  EXPECT_EQ(sample.limits, Reading<double>(0x44));
  EXPECT_EQ(sample.memory_used, Reading<double>(1000.0 * 1024 * 1024));
  EXPECT_EQ(sample.link_gen, Reading<double>(4));
  EXPECT_EQ(sample.uncorrected_errors, Reading<double>(0));
  EXPECT_EQ(sample.other_processes, Reading<double>(0));
  EXPECT_EQ(sample.xid.why_not(), "none");
  EXPECT_EQ(sample.lost, Reading<double>(0));
}

TEST(NvmlProbeTest, AnOldDriverSaysLessAndWhyNot) {
  const ScopedVariable limits("FAKE_NVML_LIMITS", "4");
  NvmlProbe probe({.library = QANAT_FAKE_NVML_OLD});

  ASSERT_TRUE(probe.setup()) << probe.setup().why_not();
  EXPECT_EQ((*probe.setup()).gpus[0].name, Reading<std::string>("Fake GPU 0"));
  EXPECT_THAT((*probe.setup()).gpus[0].uuid.why_not(), HasSubstr("no function"));
  const Reading<std::vector<GpuSample>> samples = probe.sample();
  ASSERT_TRUE(samples);
  EXPECT_EQ((*samples)[0].limits, Reading<double>(4));
  EXPECT_FALSE((*samples)[0].clock);
  EXPECT_FALSE((*samples)[0].xid);
}

TEST(NvmlProbeTest, ADriverThatIsNotLoadedSaysSo) {
  const ScopedVariable init("FAKE_NVML_INIT", "9");

  const NvmlProbe probe(fake());

  EXPECT_EQ(probe.setup().why_not(), "Driver Not Loaded (9)");
}

TEST(NvmlProbeTest, ALostGpuIsMarkedAndTheOtherStillAnswers) {
  const ScopedVariable lost("FAKE_NVML_LOST", "0");
  NvmlProbe probe(fake());

  const Reading<std::vector<GpuSample>> samples = probe.sample();

  ASSERT_TRUE(samples);
  EXPECT_EQ((*samples)[0].lost, Reading<double>(1));
  EXPECT_FALSE((*samples)[0].clock);
  EXPECT_EQ((*samples)[1].lost, Reading<double>(0));
  EXPECT_TRUE((*samples)[1].clock);
}

TEST(NvmlProbeTest, AnErrorOfTheDriverIsSeenOnce) {
  const ScopedVariable xid("FAKE_NVML_XID", "79");
  NvmlProbe probe(fake());

  const Reading<std::vector<GpuSample>> first = probe.sample();
  const Reading<std::vector<GpuSample>> second = probe.sample();

  ASSERT_TRUE(first && second);
  EXPECT_EQ((*first)[0].xid, Reading<double>(79));
  EXPECT_FALSE((*first)[1].xid);
  EXPECT_FALSE((*second)[0].xid);
}

TEST(NvmlProbeTest, ADriverThatHangsHangsNobody) {
  NvmlOptions options = fake();
  options.timeout = Seconds{0.05};
  NvmlProbe probe(options);
  ASSERT_TRUE(probe.setup());
  const ScopedVariable hang("FAKE_NVML_HANG", "clock");

  EXPECT_THAT(probe.sample().why_not(), HasSubstr("did not answer"));
  EXPECT_FALSE(probe.sample());
}

TEST(NvmlProbeTest, TheEnvironmentNamesTheLibrary) {
  const ScopedVariable library("QANAT_NVML", QANAT_FAKE_NVML);

  EXPECT_TRUE(NvmlProbe({}).setup());
}

}  // namespace
}  // namespace qanat
