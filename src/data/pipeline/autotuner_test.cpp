#include "pipeline/autotuner.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace qanat {
namespace {

using std::chrono::milliseconds;

constexpr TuneLimits kEightCores{
    .min_workers = 1, .max_workers = 8, .min_window = 3, .max_window = 50};

// Everything in order: half a step of work, a well filled window.
TuneObservation content(int workers) {
  return {.workers = workers,
          .window = 8,
          .work = milliseconds(40),
          .step = milliseconds(80),
          .wait_share = 0,
          .ready_low = 6,
          .ready_high = 8,
          .calm_periods = 10};
}

TEST(AutotunerTest, GivesAsManyWorkersAsTheStepNeeds) {
  TuneObservation seen = content(1);
  seen.work = milliseconds(100);
  seen.step = milliseconds(30);
  seen.wait_share = 0.6;
  seen.ready_low = 0;
  seen.ready_high = 1;

  const TuneDecision decision = decide(seen, kEightCores);

  EXPECT_EQ(decision.workers, 4);  // 100 / 4 = 25 ms < 27 ms < 100 / 3
  EXPECT_NE(decision.workers_reason.find("100.00 ms of work"), std::string::npos)
      << decision.workers_reason;
  EXPECT_FALSE(decision.calm);
}

TEST(AutotunerTest, NeverExceedsTheCoreBudgetAndSaysSo) {
  TuneObservation seen = content(1);
  seen.work = milliseconds(1000);
  seen.step = milliseconds(10);

  const TuneDecision decision = decide(seen, kEightCores);

  EXPECT_EQ(decision.workers, 8);
  EXPECT_NE(decision.workers_reason.find("allows no more"), std::string::npos);
}

TEST(AutotunerTest, AConsumerThatOnlyTakesGetsEverything) {
  TuneObservation seen = content(2);
  seen.step = Seconds{0};

  EXPECT_EQ(decide(seen, kEightCores).workers, 8);
}

TEST(AutotunerTest, OneMoreWhenThePredictionWasTooGood) {
  TuneObservation seen = content(2);
  seen.wait_share = 0.1;
  seen.ready_low = 0;
  seen.ready_high = 2;

  EXPECT_EQ(decide(seen, kEightCores).workers, 3);
}

TEST(AutotunerTest, GivesOneBackAfterCalmPeriodsOnly) {
  TuneObservation seen = content(4);
  seen.calm_periods = 0;
  EXPECT_EQ(decide(seen, kEightCores).workers, 4);

  seen.calm_periods = 5;
  const TuneDecision decision = decide(seen, kEightCores);
  EXPECT_EQ(decision.workers, 3);
  EXPECT_FALSE(decision.workers_reason.empty());
}

TEST(AutotunerTest, KeepsAWorkerThatWouldBeMissed) {
  TuneObservation seen = content(2);
  seen.work = milliseconds(68);  // one worker: 0.85 of the step

  EXPECT_EQ(decide(seen, kEightCores).workers, 2);
}

TEST(AutotunerTest, FixedValuesStay) {
  TuneObservation seen = content(2);
  seen.work = milliseconds(1000);
  seen.ready_low = 0;
  seen.ready_high = 8;

  const TuneDecision decision =
      decide(seen, {.min_workers = 2, .max_workers = 2, .min_window = 8, .max_window = 8});

  EXPECT_EQ(decision.workers, 2);
  EXPECT_EQ(decision.window, 8);
  EXPECT_TRUE(decision.workers_reason.empty());
  EXPECT_TRUE(decision.window_reason.empty());
}

TEST(AutotunerTest, AWindowThatWasEmptyAndFullGrows) {
  TuneObservation seen = content(1);
  seen.ready_low = 0;
  seen.ready_high = 8;
  seen.wait_share = 0.05;

  const TuneDecision decision = decide(seen, kEightCores);

  EXPECT_EQ(decision.window, 16);
  EXPECT_FALSE(decision.window_reason.empty());
}

TEST(AutotunerTest, AWindowGrowsOnlyToItsLimit) {
  TuneObservation seen = content(1);
  seen.window = 40;
  seen.ready_low = 0;
  seen.ready_high = 40;
  seen.wait_share = 0.05;

  EXPECT_EQ(decide(seen, kEightCores).window, 50);
}

// A ring behind the loader empties it in one go when it grows; that alone hurts nobody.
TEST(AutotunerTest, AWindowThatWasEmptyAndFullStaysWhileNobodyWaits) {
  TuneObservation seen = content(1);
  seen.ready_low = 0;
  seen.ready_high = 8;

  EXPECT_EQ(decide(seen, kEightCores).window, 8);
}

TEST(AutotunerTest, AWindowThatWasNeverLowShrinksByAQuarterAtMost) {
  TuneObservation seen = content(1);
  seen.window = 40;
  seen.ready_low = 38;
  seen.ready_high = 40;

  EXPECT_EQ(decide(seen, kEightCores).window, 30);
}

TEST(AutotunerTest, AWindowThatIsOnlyEmptyNeedsWorkersNotRoom) {
  TuneObservation seen = content(1);
  seen.ready_low = 0;
  seen.ready_high = 2;
  seen.wait_share = 0.3;

  EXPECT_EQ(decide(seen, kEightCores).window, 8);
}

// A loader and its consumer in numbers: what the tuner would see of them, period by period.
struct SimulatedPipeline {
  Seconds work;  // per batch
  Seconds step;
  int workers = 8;
  int window = 8;
  int calm = 0;

  void period() {
    const Seconds batch = work / workers;
    const bool keeps_up = batch < step;
    const double wait = keeps_up ? 0.0 : 1.0 - step / batch;
    const TuneDecision decision = decide({.workers = workers,
                                          .window = window,
                                          .work = work,
                                          .step = step,
                                          .wait_share = wait,
                                          .ready_low = keeps_up ? window - 2 : 0,
                                          .ready_high = keeps_up ? window : 1,
                                          .calm_periods = calm},
                                         kEightCores);
    const bool changed = decision.workers != workers || decision.window != window;
    calm = decision.calm && !changed ? calm + 1 : 0;
    workers = decision.workers;
    window = decision.window;
  }
};

TEST(AutotunerTest, SettlesOnWhatIsNeededAndStaysThere) {
  SimulatedPipeline pipeline{.work = milliseconds(100), .step = milliseconds(45)};
  for (int i = 0; i < 60; ++i) {
    pipeline.period();
  }
  const int settled = pipeline.workers;
  const int window = pipeline.window;

  EXPECT_EQ(settled, 3);  // 33 ms, inside 0.8 of the step
  for (int i = 0; i < 60; ++i) {
    pipeline.period();
    EXPECT_EQ(pipeline.workers, settled);
    EXPECT_EQ(pipeline.window, window);
  }
}

TEST(AutotunerTest, FollowsAConsumerThatBecomesFaster) {
  SimulatedPipeline pipeline{.work = milliseconds(100), .step = milliseconds(500)};
  for (int i = 0; i < 60; ++i) {
    pipeline.period();
  }
  EXPECT_EQ(pipeline.workers, 1);

  pipeline.step = milliseconds(20);
  pipeline.period();

  EXPECT_EQ(pipeline.workers, 6);
}

}  // namespace
}  // namespace qanat
