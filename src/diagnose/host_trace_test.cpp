#include "diagnose/host_trace.h"

#include <gtest/gtest.h>

#include "diagnose/run_trace.h"

namespace qanat {
namespace {

JournalEntry look(double at,
                  HostCounters counters,
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

TEST(HostTraceTest, WhatHappenedBeforeTheFirstStepDoesNotCount) {
  RunTrace trace;
  trace.add(look(0, {.cpu_some = 10.0}));
  trace.add(look(2, {.cpu_some = 12.0}));
  trace.add(StepRecord{});
  trace.add(look(4, {.cpu_some = 12.5}));
  trace.add(look(6, {.cpu_some = 13.0}));

  ASSERT_TRUE(trace.host.has_value());
  EXPECT_DOUBLE_EQ(trace.host->seconds(), 4);
  EXPECT_EQ(trace.host->growth(&HostCounters::cpu_some), Reading<double>(1));
  EXPECT_EQ(trace.host->share(&HostCounters::cpu_some), Reading<double>(0.25));
  EXPECT_EQ(trace.damaged_lines, 0);
}

TEST(HostTraceTest, LookingCostsWhatItTookBetweenTheLooks) {
  RunTrace trace;
  trace.add(look(0, {}, Reasons::left_out, 3.0));  // setup and GPUs were read
  trace.add(StepRecord{});
  trace.add(look(2, {}, Reasons::left_out, 3.01));

  ASSERT_TRUE(trace.host->cost_share());
  EXPECT_NEAR(*trace.host->cost_share(), 0.005, 1e-9);
}

TEST(HostTraceTest, TwoLooksInOneMomentAreNoShares) {
  using Threads = std::vector<ThreadClock>;
  HostCounters counters{.cpu_some = 1.0};
  counters.threads = Threads{{.name = "load", .threads = 1, .running = 1}};
  RunTrace trace;
  trace.add(look(1, counters));
  trace.add(StepRecord{});
  trace.add(look(1.01, counters));

  const char* const why = "the host was looked at for too short a time";
  EXPECT_EQ(trace.host->share(&HostCounters::cpu_some).why_not(), why);
  EXPECT_EQ(trace.host->threads().why_not(), why);
  EXPECT_EQ(trace.host->neighbours().why_not(), why);
  EXPECT_EQ(trace.host->cost_share().why_not(), why);
}

TEST(HostTraceTest, ReasonsOfTheFirstLookHoldForTheRun) {
  RunTrace trace;
  trace.add(look(0, {.cpu_some = Reading<double>::none("no PSI")}, Reasons::written));
  trace.add(look(1, {}));
  trace.add(StepRecord{});
  trace.add(look(2, {}));

  EXPECT_EQ(trace.host->share(&HostCounters::cpu_some).why_not(), "no PSI");
}

TEST(HostTraceTest, OneLookIsNoShare) {
  RunTrace trace;
  trace.add(look(0, {.cpu_some = 1.0}));

  EXPECT_EQ(trace.host->share(&HostCounters::cpu_some).why_not(),
            "the host was looked at only once");
}

TEST(HostTraceTest, ThreadsAreComparedByName) {
  using Threads = std::vector<ThreadClock>;
  RunTrace trace;
  trace.add(look(0, {.threads = Threads{{.name = "load", .running = 1, .waiting = 2}}}));
  trace.add(StepRecord{});
  trace.add(look(1,
                 {.threads = Threads{{.name = "load", .running = 4, .waiting = 2.5},
                                     {.name = "train", .running = 1}}}));

  const Reading<Threads> threads = trace.host->threads();

  ASSERT_TRUE(threads);
  EXPECT_DOUBLE_EQ((*threads)[0].running, 3);
  EXPECT_DOUBLE_EQ((*threads)[0].waiting, 0.5);
  EXPECT_DOUBLE_EQ((*threads)[1].running, 1);
}

TEST(GpuTraceTest, LimitsCountWhileTheGpuWorks) {
  RunTrace trace;
  trace.add(two_gpus());
  const GpuSample idle{.kernels_resident = 0.0, .clock = 1e8, .limits = 1.0};
  trace.add(samples({{.kernels_resident = 0.9, .clock = 1.2e9, .limits = 64.0}, idle}));
  trace.add(samples({{.kernels_resident = 0.9, .clock = 2e9, .limits = 0.0}, idle}));

  ASSERT_TRUE(trace.gpus.has_value());
  const GpuHistory& first = trace.gpus->gpus[0];
  EXPECT_EQ(first.busy, 2);
  EXPECT_EQ(first.limited.at(ClockLimit::hardware_thermal), 1);
  EXPECT_DOUBLE_EQ(first.clock_limited, 1.2e9);
  EXPECT_DOUBLE_EQ(first.clock_free, 2e9);
  EXPECT_EQ(trace.gpus->gpus[1].busy, 0);
  EXPECT_EQ(trace.gpus->gpus[1].samples, 2);
}

TEST(GpuTraceTest, ErrorsAndLossesAreKept) {
  RunTrace trace;
  trace.add(two_gpus());
  trace.add(samples({{.xid = 79.0}, {.lost = 1.0}}));
  trace.add(samples({{}, {.lost = 0.0}}));

  EXPECT_EQ(trace.gpus->gpus[0].xids, std::vector<double>{79});
  EXPECT_TRUE(trace.gpus->gpus[1].lost);
}

TEST(GpuTraceTest, WithoutGpusTheReasonIsKnown) {
  RunTrace trace;
  trace.add({.event = GpuSamples{.unknown = "no library"}});

  EXPECT_EQ(trace.gpus->setup.why_not(), "no library");
}

TEST(GpuTraceTest, DamagedLinesAreCountedNotBelieved) {
  RunTrace trace;
  trace.add(samples({GpuSample{}}));
  trace.add(two_gpus());
  trace.add(samples({GpuSample{}}));
  trace.add({.at = Seconds{0}, .event = HostSample{}});

  EXPECT_EQ(trace.damaged_lines, 3);
  EXPECT_FALSE(trace.host.has_value());
}

}  // namespace
}  // namespace qanat
