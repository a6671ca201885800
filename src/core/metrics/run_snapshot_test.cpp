#include "metrics/run_snapshot.h"

#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "metrics/journal_testing.h"

namespace qanat {
namespace {

StepRecord step_of(std::int64_t number, Seconds wait, Seconds forward) {
  return {.step = number,
          .frames = 100,
          .losses = {.total = 3.5},
          .phases = {.wait = wait, .forward = forward}};
}

TEST(RunSnapshotTest, StepsAddUp) {
  RunSnapshot now;

  now.add(JournalEntry{.at = Seconds(1), .event = step_of(0, Seconds{0.25}, Seconds{0.75})});
  now.add(JournalEntry{.at = Seconds(2), .event = step_of(1, Seconds{0.75}, Seconds{0.25})});

  EXPECT_EQ(now.steps, 2);
  EXPECT_EQ(now.newest->step, 1);
  EXPECT_EQ(now.frames, 200);
  EXPECT_DOUBLE_EQ(now.seconds.wait.count(), 1.0);
  EXPECT_DOUBLE_EQ(now.seconds.forward.count(), 1.0);
  EXPECT_DOUBLE_EQ(now.steps_per_second().value(), 1.0);
  EXPECT_DOUBLE_EQ(now.wait_share().value(), 0.5);
  EXPECT_EQ(now.step_seconds.count(), 2);
  EXPECT_DOUBLE_EQ(now.at.count(), 2);
}

TEST(RunSnapshotTest, OneStepHasNoRate) {
  RunSnapshot now;

  now.add(JournalEntry{.at = Seconds(1), .event = step_of(0, Seconds{0}, Seconds{1})});

  EXPECT_FALSE(now.steps_per_second().has_value());
  EXPECT_FALSE(now.wait_share().has_value());
}

TEST(RunSnapshotTest, AResumedSessionStartsOver) {
  RunSnapshot now;
  now.add(entry_of({{"kind", "journal"}, {"t", 0.0}, {"started", "then"}}));
  now.add(JournalEntry{.at = Seconds(9), .event = step_of(0, Seconds{0}, Seconds{1})});

  now.add(entry_of({{"kind", "journal"}, {"t", 0.0}, {"started", "now"}, {"device", "virtual:1"}}));
  now.add(entry_of({{"kind", "run"}, {"t", 0.0}, {"mode", "multi_gpu"}, {"last_step", 40}}));

  EXPECT_EQ(now.sessions, 2);
  EXPECT_EQ(now.started, "now");
  EXPECT_EQ(now.model_device, "virtual:1");
  EXPECT_EQ(now.last_step, 40);
  EXPECT_EQ(now.steps, 0);
  EXPECT_EQ(now.at.count(), 0);
}

TEST(RunSnapshotTest, ItsSizeDoesNotGrowWithTheRun) {
  RunSnapshot now;
  for (int i = 0; i < 2000; ++i) {
    now.add(JournalEntry{.at = Seconds(i), .event = step_of(i, Seconds{0}, Seconds{0.01})});
  }

  EXPECT_EQ(now.recent.size(), RunSnapshot::kRecentSteps);
  EXPECT_EQ(now.recent.back().step, 1999);
}

TEST(RunSnapshotTest, WhatFeedsTheStepsIsKeptAsItWasToldLast) {
  RunSnapshot now;
  PipelineStats stats;
  stats.rows = 48;

  now.add(JournalEntry{.at = Seconds(3), .event = stats});
  now.add(
      entry_of({{"kind", "ring_start"}, {"slots", 3}, {"most_slots", 6}, {"slot_bytes", 4096}}));
  now.add(entry_of({{"kind", "slot"}, {"slot", 1}}));
  now.add(entry_of({{"kind", "autotune"}, {"slots", 4}}));
  now.add(entry_of({{"kind", "bad_utterance"}}));
  now.add(entry_of({{"kind", "run"}, {"mode", "multi_gpu"}}));
  now.add(entry_of({{"kind", "ended"}, {"ending", "max_steps"}}));

  EXPECT_EQ(now.pipeline->rows, 48);
  EXPECT_EQ(now.ring->slots, 4);
  EXPECT_EQ(now.ring->batches, 1);
  EXPECT_EQ(now.ring->slot_bytes.value, 4096);
  EXPECT_EQ(now.bad_utterances, 1);
  EXPECT_EQ(now.mode, "multi_gpu");
  EXPECT_EQ(now.ending, "max_steps");
}

TEST(RunSnapshotTest, OddLinesArePassedOver) {
  RunSnapshot now;

  now.add(entry_of({{"kind", 7}}));
  now.add(entry_of({{"kind", "ring_start"}, {"slots", "many"}}));
  now.add(entry_of(nlohmann::json::object()));

  EXPECT_EQ(now.steps, 0);
  EXPECT_FALSE(now.pipeline.has_value());
}

TEST(DurationHistogramTest, ADurationFallsIntoTheFirstBinThatHoldsIt) {
  DurationHistogram histogram;

  histogram.add(Seconds{0.001});
  histogram.add(Seconds{0.0011});
  histogram.add(Seconds{100});

  EXPECT_EQ(histogram.counts[0], 1);
  EXPECT_EQ(histogram.counts[1], 1);
  EXPECT_EQ(histogram.counts[DurationHistogram::kEdges], 1);
  EXPECT_DOUBLE_EQ(histogram.sum.count(), 100.0021);
}

TEST(LiveSnapshotTest, IsReadWhileItIsWritten) {
  LiveSnapshot live;
  live.record(SessionStart{.command = "train"});
  std::jthread writer([&live](const std::stop_token& stop) {
    for (int i = 0; i < 2000 && !stop.stop_requested(); ++i) {
      live.record(step_of(i, Seconds{0}, Seconds{0.01}));
    }
  });

  std::int64_t seen = 0;
  while (seen < 2000) {
    const RunSnapshot now = live.read();
    ASSERT_GE(now.steps, seen);
    ASSERT_EQ(now.step_seconds.count(), now.steps);
    seen = now.steps;
  }

  EXPECT_EQ(live.read().command, "train");
  EXPECT_GT(live.read().at.count(), 0);
}

}  // namespace
}  // namespace qanat
