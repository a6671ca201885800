#include "metrics/usage.h"

#include <fstream>
#include <thread>

#include <gtest/gtest.h>

namespace qanat {
namespace {

void spin_for(Seconds time) {
  const ThreadUsageMeter meter;
  const Seconds start = meter.read().cpu;
  while (meter.read().cpu - start < time) {
  }
}

TEST(UsageTest, AThreadThatComputesUsesItsProcessor) {
  const ThreadUsageMeter meter;
  const ThreadUsage before = meter.read();

  spin_for(Seconds{0.02});

  const ThreadUsage after = meter.read();
  EXPECT_GE(after.cpu - before.cpu, Seconds{0.02});
  if (after.run_delay) {
    EXPECT_GE(*after.run_delay, *before.run_delay);
  }
}

TEST(UsageTest, AThreadIsMeasuredAlone) {
  const ThreadUsageMeter meter;
  const Seconds before = meter.read().cpu;

  std::jthread([] { spin_for(Seconds{0.03}); }).join();

  EXPECT_LT(meter.read().cpu - before, Seconds{0.015});
}

TEST(UsageTest, TheProcessCountsAllItsThreadsAndWhatItReads) {
  const ProcessUsage before = read_process_usage();

  std::jthread([] { spin_for(Seconds{0.03}); }).join();
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::string bytes(100'000, ' ');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));

  const ProcessUsage after = read_process_usage();
  EXPECT_GE(after.cpu - before.cpu, Seconds{0.02});
  if (!after.read) {
    GTEST_SKIP() << "the kernel does not say what was read";
  }
  EXPECT_GE(after.read->value - before.read->value, 100'000);
}

}  // namespace
}  // namespace qanat
