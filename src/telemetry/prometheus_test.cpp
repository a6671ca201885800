#include "telemetry/prometheus.h"

#include <limits>

#include <gmock/gmock.h>

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

StepRecord step_of(double seconds) {
  return {.step = 41,
          .losses = {.total = 2.5},
          .learning_rate = 1e-5,
          .phases = {.wait = Seconds{seconds / 4}, .forward = Seconds{3 * seconds / 4}}};
}

RunSnapshot run_of(int steps) {
  RunSnapshot run;
  for (int i = 0; i < steps; ++i) {
    nlohmann::json line = to_event(step_of(0.004)).fields;
    line["kind"] = "step";
    run.add(line);
  }
  return run;
}

TEST(PrometheusTest, TimesAreCountersInSeconds) {
  const std::string text = prometheus_text(run_of(2));

  EXPECT_THAT(text, HasSubstr("# TYPE qanat_phase_seconds_total counter\n"));
  EXPECT_THAT(text, HasSubstr("qanat_phase_seconds_total{phase=\"wait\"} 0.002\n"));
  EXPECT_THAT(text, HasSubstr("qanat_phase_seconds_total{phase=\"forward\"} 0.006\n"));
  EXPECT_THAT(text, HasSubstr("qanat_steps_total 2\n"));
  EXPECT_THAT(text, HasSubstr("qanat_step 42\n"));
  EXPECT_THAT(text, HasSubstr("qanat_learning_rate 1e-05\n"));
}

TEST(PrometheusTest, TheHistogramIsCumulative) {
  const std::string text = prometheus_text(run_of(3));

  EXPECT_THAT(text, HasSubstr("qanat_step_duration_seconds_bucket{le=\"0.002\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("qanat_step_duration_seconds_bucket{le=\"0.004\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("qanat_step_duration_seconds_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("qanat_step_duration_seconds_count 3\n"));
}

TEST(PrometheusTest, WhatIsNotKnownIsAbsent) {
  const std::string text = prometheus_text(RunSnapshot{});

  EXPECT_THAT(text, Not(HasSubstr("queue")));
  EXPECT_THAT(text, Not(HasSubstr("qanat_loss")));
  EXPECT_THAT(text, Not(HasSubstr("_ratio")));
  EXPECT_THAT(text, HasSubstr("qanat_steps_total 0\n"));
}

TEST(PrometheusTest, DevicesAreTold) {
  RunSnapshot run;
  run.pipeline.emplace().devices.push_back({.role = "model",
                                            .name = "virtual:1",
                                            .busy = Seconds{2},
                                            .memory = Bytes{1024},
                                            .memory_limit = std::nullopt});

  const std::string text = prometheus_text(run);

  EXPECT_THAT(text,
              HasSubstr("qanat_device_memory_bytes{device=\"virtual:1\",role=\"model\"} 1024\n"));
  EXPECT_THAT(
      text, HasSubstr("qanat_device_busy_seconds_total{device=\"virtual:1\",role=\"model\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("memory_limit")));
  EXPECT_THAT(text, Not(HasSubstr("run_delay")));
}

TEST(PrometheusTest, LabelsAreEscaped) {
  RunSnapshot run;
  run.mode = "a \"quoted\" \\ mode\nof two lines";

  EXPECT_THAT(prometheus_text(run),
              HasSubstr("mode=\"a \\\"quoted\\\" \\\\ mode\\nof two lines\""));
}

TEST(PrometheusTest, ALossThatIsNoNumberIsSaidToBeNone) {
  RunSnapshot run = run_of(1);
  run.newest->losses.total = std::numeric_limits<double>::quiet_NaN();

  EXPECT_THAT(prometheus_text(run), HasSubstr("qanat_loss{part=\"total\"} NaN\n"));
}

}  // namespace
}  // namespace qanat
