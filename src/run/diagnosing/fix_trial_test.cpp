#include "diagnosing/fix_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "diagnose/recommendation.h"
#include "locale/messages/findings_data.h"
#include "locale/translator.h"

namespace qanat {
namespace {

using testing::HasSubstr;

// A run of sixty steps that take about `seconds` each.
RunMeasures run_of(double seconds) {
  RunSummary summary;
  for (int i = 0; i < 60; ++i) {
    summary.add(StepRecord{.step = i,
                           .rows = 16,
                           .padded_frames = 400 + i % 7,
                           .frames = 16 * (390 + i % 7),
                           .phases = {.forward = Seconds{seconds * (1 + 0.002 * (i % 5))}}});
  }
  return measure_run(summary);
}

Finding starved() {
  return {.id = "DL002",
          .gain = {.step_now = 0.12,
                   .step_if_fixed = 0.08,
                   .speedup = 1.5,
                   .ci95 = {.low = 1.4, .high = 1.6}},
          .fixes = {{.action = msg::dl013_run_elsewhere{}},
                    {.key = "data.num_workers", .value = "3", .predicted_step = 0.1}}};
}

TEST(FixTrialTest, TheFixOfTheConfigurationIsTakenAndApplied) {
  const Finding finding = starved();

  const Fix* const fix = setting_of(finding);
  ASSERT_NE(fix, nullptr);
  const LoadedConfig config;
  const Result<LoadedConfig> fixed = apply_fix(config, *fix);

  ASSERT_TRUE(fixed.ok());
  EXPECT_EQ(fixed.value().values.data.num_workers, 3);
  EXPECT_EQ(fixed.value().origins.at("data.num_workers"), "the fix");
}

TEST(FixTrialTest, AFixOutsideTheConfigurationCannotBeTried) {
  Finding finding = starved();
  finding.fixes.resize(1);

  FixTrialRequest request;
  request.finding = finding;
  const LoadedConfig config;

  EXPECT_EQ(setting_of(finding), nullptr);
  EXPECT_THROW(try_fix(request), Error);
  EXPECT_FALSE(apply_fix(config, {.key = "data.no_such_key", .value = "1"}).ok());
}

TEST(FixTrialTest, RoundsAreComparedPairByPair) {
  // The machine got twice as slow for the second round.
  const Speedup speedup =
      realised_speedup({run_of(0.12), run_of(0.24)}, {run_of(0.1), run_of(0.2)});

  EXPECT_NEAR(speedup.value, 1.2, 0.005);
  EXPECT_GT(speedup.ci95.low, 1.15);
  EXPECT_LT(speedup.ci95.high, 1.25);
}

TEST(FixTrialTest, RoundsThatDisagreeMakeTheIntervalWide) {
  const Speedup speedup =
      realised_speedup({run_of(0.12), run_of(0.12)}, {run_of(0.1), run_of(0.13)});

  EXPECT_LT(speedup.ci95.low, 1);
  EXPECT_GT(speedup.ci95.high, 1.1);
}

TEST(FixTrialTest, TheReportComparesPredictedWithRealised) {
  const FixTrial trial{.id = "DL002",
                       .fix = starved().fixes[1],
                       .predicted = Speedup{.value = 1.2, .ci95 = {.low = 1.1, .high = 1.3}},
                       .realised = {.value = 1.25, .ci95 = {.low = 1.2, .high = 1.3}},
                       .rounds = 3,
                       .step_before = 0.12,
                       .step_after = 0.096};

  const std::string text = render_text(trial);

  EXPECT_THAT(text, HasSubstr("predicted  1.200x [1.100, 1.300]"));
  EXPECT_THAT(text, HasSubstr("realised   1.250x [1.200, 1.300]   120.0 ms -> 96.0 ms"));
  EXPECT_THAT(text, HasSubstr("error      -4.0 %"));
  EXPECT_THAT(text, HasSubstr("ACCEPTED"));
  EXPECT_TRUE(to_json(trial)["accepted"]);
}

TEST(FixTrialTest, TheReportSpeaksPersian) {
  const FixTrial trial{.id = "DL002",
                       .fix = starved().fixes[1],
                       .predicted = Speedup{.value = 1.2, .ci95 = {.low = 1.1, .high = 1.3}},
                       .realised = {.value = 1.25, .ci95 = {.low = 1.2, .high = 1.3}},
                       .rounds = 3,
                       .step_before = 0.12,
                       .step_after = 0.096};

  const std::string text = render_text(trial, Translator(Language::fa));

  EXPECT_THAT(text, HasSubstr("پیش‌بینی  ۱٫۲۰۰ برابر"));
  EXPECT_THAT(text, HasSubstr("راه‌حل اجرا را سریع‌تر می‌کند"));
  EXPECT_THAT(text, testing::Not(HasSubstr("predicted")));
}

TEST(FixTrialTest, WhatMakesNoDifferenceIsNotAccepted) {
  const FixTrial trial{.realised = {.value = 1.01, .ci95 = {.low = 0.98, .high = 1.04}}};

  EXPECT_FALSE(trial.wins());
  EXPECT_THAT(render_text(trial), HasSubstr("UNDECIDED"));
  EXPECT_TRUE(to_json(trial)["predicted"].is_null());
}

}  // namespace
}  // namespace qanat
