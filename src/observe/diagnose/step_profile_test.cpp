#include "diagnose/step_profile.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

struct RunShape {
  double wait = 0.02;
  double forward = 0.03;
  int uses = 1;
  int frames = 400;
};

RunSummary run_of(const RunShape& shape, int steps = 120) {
  RunSummary summary;
  summary.run.allowed_cores = 8;
  for (int i = 0; i < steps; ++i) {
    const int batch = i / shape.uses;
    const bool is_kept = i % shape.uses != 0;
    const int frames = shape.frames + batch % 7;
    summary.add(
        StepRecord{.step = i,
                   .batch = batch,
                   .rows = 16,
                   .padded_frames = frames,
                   .frames = std::int64_t{16} * 396,
                   .phases = {.wait = Seconds{is_kept ? 0 : shape.wait},
                              .forward = Seconds{shape.forward * frames / 400.0 + 0.0001 * (i % 3)},
                              .backward = Seconds{0.05},
                              .residual = Seconds{0.0005}}});
  }
  return summary;
}

const PhaseTimes& row(const StepProfile& profile, const std::string& name) {
  for (const PhaseTimes& phase : profile.phases) {
    if (phase.name == name) {
      return phase;
    }
  }
  throw std::out_of_range(name);
}

TEST(StepProfileTest, ThePhasesAddUpToTheStep) {
  const StepProfile profile = profile_step(run_of({}), nullptr);

  double sum = 0;
  for (const PhaseTimes& phase : profile.phases) {
    sum += phase.name == "step" ? 0 : phase.seconds.mean;
  }
  EXPECT_NEAR(sum, row(profile, "step").seconds.mean, 1e-9);
  EXPECT_NEAR(row(profile, "data wait").seconds.mean, 0.02, 1e-9);
  EXPECT_NEAR(row(profile, "other").seconds.mean, 0.0005, 1e-9);
  EXPECT_NEAR(row(profile, "step").share, 1, 1e-9);
  EXPECT_FALSE(profile.probe.has_value());
}

TEST(StepProfileTest, AProbeThatCostsTheStepWithoutTheWaitConfirms) {
  const RunSummary cached = run_of({.uses = 4});

  const StepProfile profile = profile_step(run_of({}), &cached);

  ASSERT_TRUE(profile.probe.has_value());
  EXPECT_EQ(profile.probe->outcome, ProbeOutcome::confirmed);
  EXPECT_NEAR(profile.probe->error(), 0, 0.01);
  EXPECT_NEAR(profile.probe->measured, 0.0807, 0.001);
  EXPECT_GE(profile.probe->steps, 40U);
}

// Longer batches cost more, and that is no difference between prediction and probe.
TEST(StepProfileTest, TheComparisonIsForEqualWork) {
  RunSummary run = run_of({});
  for (std::size_t i = 0; i < run.steps.size(); ++i) {  // lengths from 300 to 500
    StepRecord& step = run.steps[i];
    step.padded_frames = 300 + static_cast<int>(i * 37 % 201);
    step.phases.forward = Seconds{0.03 * step.padded_frames / 400.0};
  }
  const RunSummary cached = run_of({.uses = 4, .frames = 480});

  const StepProfile profile = profile_step(run, &cached);

  ASSERT_TRUE(profile.probe.has_value());
  EXPECT_EQ(profile.probe->outcome, ProbeOutcome::confirmed);
  EXPECT_NEAR(profile.probe->error(), 0, 0.01);
}

TEST(StepProfileTest, AProbeThatIsMuchCheaperSaysThatTheLoaderCosts) {
  const RunSummary cached = run_of({.forward = 0.01, .uses = 4});

  const StepProfile profile = profile_step(run_of({}), &cached);

  ASSERT_TRUE(profile.probe.has_value());
  EXPECT_EQ(profile.probe->outcome, ProbeOutcome::cheaper);
}

TEST(StepProfileTest, AProbeOfFewStepsSaysNothing) {
  const RunSummary cached = run_of({.uses = 4}, 8);

  EXPECT_FALSE(profile_step(run_of({}), &cached).probe.has_value());
}

}  // namespace
}  // namespace qanat
