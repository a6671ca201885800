#include "monitor/resource_monitor.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "base/error.h"
#include "metrics/journal_testing.h"
#include "monitor/host_counters.h"
#include "monitor/host_setup.h"
#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

MonitorOptions without_gpus() {
  return {.every = Seconds{3600}, .nvml = {.library = "libqanat-no-such-nvml.so.1"}};
}

TEST(ResourceMonitorTest, AShortRunIsLookedAtTwice) {
  EventList journal;

  { const ResourceMonitor monitor(without_gpus(), journal); }

  const std::vector<HostSample> host = journal.events<HostSample>();
  ASSERT_EQ(host.size(), 2U);
  EXPECT_TRUE(to_host_setup(host[0].setup.value()).ok());
  EXPECT_FALSE(host[1].setup.has_value());
  EXPECT_TRUE(to_host_counters(host[1].counters.value()).ok());
  EXPECT_FALSE(host[1].counters->contains("unknown"));
  EXPECT_GT(host[1].cost.value(), 0);
}

TEST(ResourceMonitorTest, WithoutGpusTheReasonIsJournalledOnce) {
  EventList journal;

  { const ResourceMonitor monitor(without_gpus(), journal); }

  const std::vector<GpuSamples> devices = journal.events<GpuSamples>();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_NE(devices[0].unknown.value().find("no-such-nvml"), std::string::npos);
}

TEST(ResourceMonitorTest, GpusAreListedOnceAndSampledEveryTime) {
  EventList journal;
  MonitorOptions options = without_gpus();
  options.nvml.library = QANAT_FAKE_NVML;

  { const ResourceMonitor monitor(options, journal); }

  const std::vector<GpuSamples> devices = journal.events<GpuSamples>();
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_TRUE(to_gpu_setup(devices[0].setup.value()).ok());
  EXPECT_EQ(to_gpu_samples(devices[2].samples.value()).value().size(), 2U);
}

// Counts down to a number of lines somebody waits for.
class CountingSink : public EventSink {
 public:
  void record(const JournalEvent& event) override {
    const std::lock_guard lock(mutex_);
    count_ += std::holds_alternative<HostSample>(event) ? 1 : 0;
    changed_.notify_all();
  }
  // Whether so many came in time.
  bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds{60}, [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;  // guards count_
  std::condition_variable changed_;
  int count_ = 0;
};

TEST(ResourceMonitorTest, ItLooksAgainAndAgain) {
  CountingSink sink;
  MonitorOptions options = without_gpus();
  options.every = Seconds{0.001};

  const ResourceMonitor monitor(options, sink);

  EXPECT_TRUE(sink.wait_for(5));
}

TEST(ResourceMonitorTest, AJournalThatCannotBeWrittenEndsNothing) {
  class FullDisk : public EventSink {
   public:
    void record(const JournalEvent& /*event*/) override {
      ++tried;
      throw Error("no space left");
    }
    std::atomic<int> tried = 0;
  };
  FullDisk disk;

  { const ResourceMonitor monitor(without_gpus(), disk); }

  EXPECT_EQ(disk.tried, 1);  // and then it gave up
}

}  // namespace
}  // namespace qanat
