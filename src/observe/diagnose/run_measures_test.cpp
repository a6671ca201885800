#include "diagnose/run_measures.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace qanat {
namespace {

// Steps of 10 ms and a loader that brings a batch every 12 ms; `prefill` batches lie ready at
// first.
RunSummary slowly_fed(int steps, int prefill) {
  RunSummary summary;
  for (int i = 0; i < steps; ++i) {
    const double ready = std::max(0.0, 0.01 * prefill - 0.002 * i);
    summary.add(StepRecord{.step = i,
                           .rows = 16,
                           .padded_frames = 400,
                           .frames = 6400,
                           .phases = {.wait = Seconds{ready > 0 ? 0 : 0.002},
                                      .forward = Seconds{0.01 + 1e-5 * (i % 5)}}});
    summary.slots.push_back({.copy = StageTime{0, 0}, .train = StageTime{ready, ready}});
  }
  return summary;
}

TEST(RunMeasuresTest, StepsFedFromThePrefillAreNoPartOfTheSteadyRun) {
  const RunMeasures measures = measure_run(slowly_fed(200, 24));

  EXPECT_GE(measures.warm_up.steps, 115U);
  EXPECT_NEAR(measures.share(measures.breakdown.wait), 0.166, 0.01);
}

TEST(RunMeasuresTest, PaddingIsThatOfEveryBatchOfAnUpdate) {
  RunSummary summary;
  for (int i = 0; i < 60; ++i) {
    // A long batch, then a short one: together 16 x 600 frames, of which 95 % are speech.
    summary.add(StepRecord{.step = i,
                           .batches = 2,
                           .rows = 16,
                           .padded_frames = 100,
                           .frames = 9120,
                           .padded = 16 * 600,
                           .phases = {.forward = Seconds{0.01 + 1e-5 * (i % 5)}}});
  }

  EXPECT_NEAR(measure_run(summary).padding_share, 0.05, 1e-9);
}

TEST(RunMeasuresTest, TooFewStepsAfterAPrefillAreNotJudgedAlone) {
  EXPECT_LE(measure_run(slowly_fed(130, 24)).warm_up.steps, 65U);
}

TEST(RunMeasuresTest, WithoutTheWayOfEveryBatchNothingIsCut) {
  RunSummary summary = slowly_fed(200, 24);
  summary.slots.pop_front();

  EXPECT_LE(measure_run(summary).warm_up.steps, 100U);
}

}  // namespace
}  // namespace qanat
