#include "metrics/step_breakdown.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

Clock::time_point at(int milliseconds) {
  return Clock::time_point(std::chrono::milliseconds(milliseconds));
}

Seconds ms(int count) {
  return std::chrono::milliseconds(count);
}

StepStretch work(StepPhase phase, int end) {
  return {.end = at(end), .phase = phase};
}

void expect_near(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual.count(), expected.count(), 1e-9);
}

TEST(StepBreakdownTest, WorkIsCountedFromTheEndOfWhatWasBefore) {
  const StepPhases phases = make_breakdown(at(0),
                                           {work(StepPhase::forward, 10),
                                            work(StepPhase::loss, 12),
                                            work(StepPhase::backward, 30),
                                            work(StepPhase::optimizer, 33)});

  expect_near(phases.forward, ms(10));
  expect_near(phases.loss, ms(2));
  expect_near(phases.backward, ms(18));
  expect_near(phases.optimizer, ms(3));
  expect_near(phases.total(), ms(33));
}

// Launched from 10 to 28, and done as soon as that: the device had nothing else in its queue.
TEST(StepBreakdownTest, ADeviceThatCatchesUpWithTheHostWaitsForItsLaunches) {
  StepStretch forward = work(StepPhase::forward, 10);
  forward.launched = at(10);
  StepStretch backward = work(StepPhase::backward, 28);
  backward.launched = at(28);

  const StepPhases phases = make_breakdown(at(0), {forward, backward});

  expect_near(phases.launch, ms(28));
  expect_near(phases.backward, ms(0));
  expect_near(phases.total(), ms(28));
  EXPECT_EQ(phases.busy(), Seconds{0});
}

TEST(StepBreakdownTest, ADeviceThatIsBehindTheHostIsBusy) {
  StepStretch forward = work(StepPhase::forward, 20);
  forward.launched = at(2);
  StepStretch backward = work(StepPhase::backward, 50);
  backward.launched = at(5);

  const StepPhases phases = make_breakdown(at(0), {forward, backward});

  expect_near(phases.launch, ms(0));
  expect_near(phases.busy(), ms(50));
}

// It was behind until 20; then the host took until 40 for what it did at once.
TEST(StepBreakdownTest, AHostThatFallsBehindHoldsTheDeviceUpFromThere) {
  StepStretch forward = work(StepPhase::forward, 20);
  forward.launched = at(2);
  StepStretch backward = work(StepPhase::backward, 40);
  backward.launched = at(40);

  const StepPhases phases = make_breakdown(at(0), {forward, backward});

  expect_near(phases.forward, ms(20));
  expect_near(phases.launch, ms(20));
}

TEST(StepBreakdownTest, SeveralBatchesOfAnUpdateAddUp) {
  const StepPhases phases = make_breakdown(at(0),
                                           {work(StepPhase::forward, 10),
                                            work(StepPhase::backward, 20),
                                            work(StepPhase::forward, 35),
                                            work(StepPhase::backward, 45)});

  expect_near(phases.forward, ms(25));
  expect_near(phases.backward, ms(20));
}

TEST(StepBreakdownTest, IdleTimeIsExplainedByWhatTheHostDid) {
  // Idle from 100 to 150: the host logged until 110, had no batch until 130, the batch moved
  // until 145, and nobody knows about the rest.
  const StepStretch idle{
      .end = at(150),
      .idle = true,
      .arrival = {
          .host_busy_since = at(60), .asked = at(110), .handed = at(130), .arrived = at(145)}};

  const StepPhases phases = make_breakdown(at(100), {idle});

  expect_near(phases.checkpoint, ms(10));
  expect_near(phases.wait, ms(20));
  expect_near(phases.transfer, ms(15));
  expect_near(phases.residual, ms(5));
  expect_near(phases.total(), ms(50));
}

TEST(StepBreakdownTest, WaitingForOtherProcessesIsExchange) {
  const StepStretch idle{.end = at(150),
                         .idle = true,
                         .arrival = {.host_busy_since = at(60),
                                     .asked = at(100),
                                     .handed = at(110),
                                     .arrived = at(120),
                                     .met = at(148)}};

  const StepPhases phases = make_breakdown(at(100), {idle});

  expect_near(phases.exchange, ms(28));
  expect_near(phases.residual, ms(2));
  expect_near(phases.total(), ms(50));
}

TEST(StepBreakdownTest, WhatHappenedWhileTheDeviceWorkedCostsNothing) {
  // The batch was asked for, handed over and there before the device was done with the last one.
  const StepStretch idle{
      .end = at(101),
      .idle = true,
      .arrival = {.host_busy_since = at(10), .asked = at(20), .handed = at(60), .arrived = at(90)}};

  const StepPhases phases = make_breakdown(at(100), {idle});

  expect_near(phases.wait, ms(0));
  expect_near(phases.transfer, ms(0));
  expect_near(phases.residual, ms(1));
}

}  // namespace
}  // namespace qanat
