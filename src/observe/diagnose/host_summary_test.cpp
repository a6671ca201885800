#include "diagnose/host_summary.h"

#include <gtest/gtest.h>

#include "diagnose/run_summary.h"

namespace qanat {
namespace {

JournalEntry host_line(double at,
                       const HostCounters& counters,
                       Reasons reasons = Reasons::left_out,
                       double cost = 0.01) {
  return {.at = Seconds{at},
          .event = HostSample{.counters = to_json(counters, reasons), .cost = cost}};
}

JournalEntry samples(const std::vector<GpuSample>& all) {
  return {.event = GpuSamples{.samples = to_json(all)}};
}

JournalEntry two_gpus() {
  const GpuSetup setup{.driver = "535", .gpus = {GpuFacts{}, GpuFacts{}}};
  return {.event = GpuSamples{.setup = to_json(setup)}};
}

TEST(HostSummaryTest, WhatHappenedBeforeTheFirstStepDoesNotCount) {
  RunSummary summary;
  summary.add(host_line(0, {.cpu_some = 10.0}));
  summary.add(host_line(2, {.cpu_some = 12.0}));
  summary.add(StepRecord{});
  summary.add(host_line(4, {.cpu_some = 12.5}));
  summary.add(host_line(6, {.cpu_some = 13.0}));

  ASSERT_TRUE(summary.host.has_value());
  EXPECT_DOUBLE_EQ(summary.host->seconds(), 4);
  EXPECT_EQ(summary.host->growth(&HostCounters::cpu_some), Reading<double>(1));
  EXPECT_EQ(summary.host->share(&HostCounters::cpu_some), Reading<double>(0.25));
  EXPECT_EQ(summary.damaged_lines, 0);
}

JournalEntry step_at(double end, double seconds) {
  return {.at = Seconds{end}, .event = StepRecord{.phases = {.forward = Seconds{seconds}}}};
}

// A script imports for ten seconds, trains for six and writes its weights for four. Other programs
// take a core in the first and in the last part.
TEST(HostSummaryTest, StartAndEndOfTheProcessAreNotTraining) {
  RunSummary summary;
  summary.add(host_line(0, {.cpu_some = 0.0}));
  for (int i = 1; i <= 60; ++i) {
    summary.add(step_at(10 + 0.1 * i, 0.1));
    if (i % 20 == 0) {
      summary.add(host_line(10 + 0.1 * i, {.cpu_some = 10.0 + 0.01 * i}));
    }
  }
  summary.add(host_line(18, {.cpu_some = 12.6}));
  summary.add(host_line(20, {.cpu_some = 14.6}));

  ASSERT_TRUE(summary.host->share(&HostCounters::cpu_some));
  EXPECT_NEAR(*summary.host->share(&HostCounters::cpu_some), 0.1, 1e-9);
  EXPECT_DOUBLE_EQ(summary.host->first_at, 12);
  EXPECT_DOUBLE_EQ(summary.host->last_at, 16);
}

TEST(HostSummaryTest, ARunThatIsMostlyStartIsNotJudged) {
  RunSummary summary;
  summary.add(host_line(0, {.cpu_some = 0.0}));
  summary.add(step_at(5, 0.1));
  summary.add(step_at(5.1, 0.1));
  summary.add(host_line(5.2, {.cpu_some = 5.0}));

  EXPECT_EQ(summary.host->share(&HostCounters::cpu_some).why_not(),
            "the host was sampled for too short a time");
}

// Two seconds between samples, three seconds a step.
TEST(HostSummaryTest, AStepLongerThanTheTimeBetweenSamplesIsNoEnd) {
  RunSummary summary;
  summary.add(host_line(0, {.cpu_some = 0.0}));
  for (int second = 1; second <= 30; ++second) {
    if (second % 3 == 0) {
      summary.add(step_at(second, 3));
    }
    if (second % 2 == 0) {
      summary.add(host_line(second, {.cpu_some = 0.5 * second}));
    }
  }

  EXPECT_DOUBLE_EQ(*summary.host->share(&HostCounters::cpu_some), 0.5);
  EXPECT_GE(summary.host->seconds(), 24);
}

TEST(HostSummaryTest, SamplingCostsWhatItTookBetweenTheSamples) {
  RunSummary summary;
  summary.add(host_line(0, {}, Reasons::left_out, 3.0));  // setup and GPUs were read
  summary.add(StepRecord{});
  summary.add(host_line(2, {}, Reasons::left_out, 3.01));

  ASSERT_TRUE(summary.host->cost_share());
  EXPECT_NEAR(*summary.host->cost_share(), 0.005, 1e-9);
}

TEST(HostSummaryTest, TwoSamplesInOneMomentAreNoShares) {
  using Threads = std::vector<ThreadClock>;
  HostCounters counters{.cpu_some = 1.0};
  counters.threads = Threads{{.name = "load", .threads = 1, .running = 1}};
  RunSummary summary;
  summary.add(host_line(1, counters));
  summary.add(StepRecord{});
  summary.add(host_line(1.01, counters));

  const char* const why = "the host was sampled for too short a time";
  EXPECT_EQ(summary.host->share(&HostCounters::cpu_some).why_not(), why);
  EXPECT_EQ(summary.host->threads().why_not(), why);
  EXPECT_EQ(summary.host->neighbours().why_not(), why);
  EXPECT_EQ(summary.host->cost_share().why_not(), why);
}

TEST(HostSummaryTest, ReasonsOfTheFirstSampleHoldForTheRun) {
  RunSummary summary;
  summary.add(host_line(0, {.cpu_some = Reading<double>::none("no PSI")}, Reasons::written));
  summary.add(host_line(1, {}));
  summary.add(StepRecord{});
  summary.add(host_line(2, {}));

  EXPECT_EQ(summary.host->share(&HostCounters::cpu_some).why_not(), "no PSI");
}

TEST(HostSummaryTest, OneSampleIsNoShare) {
  RunSummary summary;
  summary.add(host_line(0, {.cpu_some = 1.0}));

  EXPECT_EQ(summary.host->share(&HostCounters::cpu_some).why_not(),
            "the host was sampled only once");
}

TEST(HostSummaryTest, ThreadsAreComparedByName) {
  using Threads = std::vector<ThreadClock>;
  RunSummary summary;
  summary.add(host_line(0, {.threads = Threads{{.name = "load", .running = 1, .waiting = 2}}}));
  summary.add(StepRecord{});
  summary.add(host_line(1,
                        {.threads = Threads{{.name = "load", .running = 4, .waiting = 2.5},
                                            {.name = "train", .running = 1}}}));

  const Reading<Threads> threads = summary.host->threads();

  ASSERT_TRUE(threads);
  EXPECT_DOUBLE_EQ((*threads)[0].running, 3);
  EXPECT_DOUBLE_EQ((*threads)[0].waiting, 0.5);
  EXPECT_DOUBLE_EQ((*threads)[1].running, 1);
}

TEST(GpuSummaryTest, LimitsCountWhileTheGpuWorks) {
  RunSummary summary;
  summary.add(two_gpus());
  const GpuSample idle{.kernels_resident = 0.0, .clock = 1e8, .limits = 1.0};
  summary.add(samples({{.kernels_resident = 0.9, .clock = 1.2e9, .limits = 64.0}, idle}));
  summary.add(samples({{.kernels_resident = 0.9, .clock = 2e9, .limits = 0.0}, idle}));

  ASSERT_TRUE(summary.gpus.has_value());
  const GpuHistory& first = summary.gpus->gpus[0];
  EXPECT_EQ(first.busy, 2);
  EXPECT_EQ(first.limited.at(ClockLimit::hardware_thermal), 1);
  EXPECT_DOUBLE_EQ(first.clock_limited, 1.2e9);
  EXPECT_DOUBLE_EQ(first.clock_free, 2e9);
  EXPECT_EQ(summary.gpus->gpus[1].busy, 0);
  EXPECT_EQ(summary.gpus->gpus[1].samples, 2);
}

TEST(GpuSummaryTest, KernelsCountOnceStepsAreMade) {
  RunSummary summary;
  summary.add(two_gpus());
  summary.add(samples({{.kernels_resident = 0.1}, {}}));
  summary.add(StepRecord{});
  summary.add(samples({{.kernels_resident = 0.75}, {}}));
  summary.add(samples({{.kernels_resident = 0.5}, {}}));

  EXPECT_DOUBLE_EQ(summary.gpus->gpus[0].resident, 1.25);
  EXPECT_EQ(summary.gpus->gpus[0].num_resident, 2);
  EXPECT_EQ(summary.gpus->gpus[1].num_resident, 0);
}

TEST(GpuSummaryTest, ErrorsAndLossesAreKept) {
  RunSummary summary;
  summary.add(two_gpus());
  summary.add(samples({{.xid = 79.0}, {.lost = 1.0}}));
  summary.add(samples({{}, {.lost = 0.0}}));

  EXPECT_EQ(summary.gpus->gpus[0].xids, std::vector<double>{79});
  EXPECT_TRUE(summary.gpus->gpus[1].lost);
}

TEST(GpuSummaryTest, WithoutGpusTheReasonIsKnown) {
  RunSummary summary;
  summary.add({.event = GpuSamples{.unknown = "no library"}});

  EXPECT_EQ(summary.gpus->setup.why_not(), "no library");
}

// Such journals were not repeated in their last file.
TEST(GpuSummaryTest, SamplesWhoseCardsAreNotKnownAreNoDamage) {
  RunSummary summary;
  summary.add(samples({GpuSample{}}));

  EXPECT_EQ(summary.damaged_lines, 0);
  EXPECT_FALSE(summary.gpus.has_value());
}

TEST(GpuSummaryTest, DamagedLinesAreCountedNotBelieved) {
  RunSummary summary;
  summary.add(two_gpus());
  summary.add(samples({GpuSample{}}));
  summary.add({.at = Seconds{0}, .event = HostSample{}});

  EXPECT_EQ(summary.damaged_lines, 2);
  EXPECT_FALSE(summary.host.has_value());
}

}  // namespace
}  // namespace qanat
