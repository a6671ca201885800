#include "telemetry/prometheus.h"

#include <limits>

#include <gmock/gmock.h>

#include "metrics/journal_testing.h"
#include "telemetry/exposition.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

StepRecord step_taking(double seconds) {
  return {.step = 41,
          .losses = {.total = 2.5},
          .learning_rate = 1e-5,
          .phases = {.wait = Seconds{seconds / 4}, .forward = Seconds{3 * seconds / 4}}};
}

RunSnapshot run_of(int steps) {
  RunSnapshot run;
  for (int i = 0; i < steps; ++i) {
    run.add({.event = step_taking(0.004)});
  }
  return run;
}

TEST(PrometheusTest, TimesAreCountersInSeconds) {
  const std::string text = prometheus_text(run_of(2));

  EXPECT_THAT(text, HasSubstr("# TYPE qanat_phase_seconds_total counter\n"));
  EXPECT_THAT(text, HasSubstr("qanat_phase_seconds_total{phase=\"wait_data\"} 0.002\n"));
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

TEST(PrometheusTest, GpusAreToldAsFarAsTheyAreKnown) {
  RunSnapshot run;
  run.add(entry_of({{"kind", "devices"},
                    {"t", 0.0},
                    {"setup", {{"gpus", {{{"uuid", "GPU-5a1b2c3d-1111-2222"}}}}}}}));
  for (const double t : {1.0, 3.0}) {
    run.add(entry_of({{"kind", "devices"},
                      {"t", t},
                      {"samples",
                       {{{"kernels_resident", 0.5},
                         {"clock", 1.4e9},
                         {"power", 200},
                         {"limits", 0x4},
                         {"xid", 79}}}}}));
  }

  const std::string text = prometheus_text(run);

  EXPECT_THAT(text, HasSubstr("qanat_gpu_kernel_resident_ratio{gpu=\"GPU-5a1b2c3d\"} 0.5\n"));
  EXPECT_THAT(text,
              HasSubstr("qanat_gpu_clock_hertz{gpu=\"GPU-5a1b2c3d\",domain=\"sm\"} 1400000000\n"));
  EXPECT_THAT(text, HasSubstr("qanat_gpu_energy_joules_total{gpu=\"GPU-5a1b2c3d\"} 400\n"));
  EXPECT_THAT(text,
              HasSubstr("qanat_gpu_clock_limited_seconds_total{gpu=\"GPU-5a1b2c3d\","
                        "reason=\"power_limit\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("qanat_gpu_xid_errors_total{gpu=\"GPU-5a1b2c3d\",xid=\"79\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("temperature_celsius")));
  EXPECT_THAT(text, Not(HasSubstr("sm_active")));
  EXPECT_THAT(text, Not(HasSubstr("domain=\"memory\"")));
}

TEST(PrometheusTest, TheHostIsToldAsFarAsItIsKnown) {
  RunSnapshot run;
  run.add(entry_of({{"kind", "host"},
                    {"t", 1.0},
                    {"counters", {{"cpu_some", 1.5}, {"io_full", 0.25}, {"throttled", nullptr}}}}));

  const std::string text = prometheus_text(run);

  EXPECT_THAT(text,
              HasSubstr("qanat_psi_stall_seconds_total{resource=\"cpu\",kind=\"some\"} 1.5\n"
                        "qanat_psi_stall_seconds_total{resource=\"io\",kind=\"full\"} 0.25\n"));
  EXPECT_THAT(text, Not(HasSubstr("throttled")));
}

TEST(PrometheusTest, WhatAJournalHoldsCannotActOnTheOneWhoPrintsThePage) {
  RunSnapshot run;
  run.mode =
      "a\\b\"c\nd\x1b[31m\r\t\x07\x7f\xc2\x9b"
      "e\xff"
      "f";

  const std::string text = prometheus_text(run);

  EXPECT_THAT(text,
              HasSubstr("mode=\"a\\\\b\\\"c\\nd[31me\xef\xbf\xbd"
                        "f\""));
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F));
  }
}

TEST(PrometheusTest, HelpStaysInItsLine) {
  Exposition out;
  out.gauge("odd", "one\\two\n\x1b\"three\"", 1);

  EXPECT_EQ(out.take(),
            "# HELP qanat_odd one\\\\two\\n\"three\"\n# TYPE qanat_odd gauge\nqanat_odd 1\n");
}

TEST(PrometheusTest, FindingsAreActiveOrNot) {
  const std::string text =
      prometheus_text(RunSnapshot{},
                      {.version = "1.2",
                       .recoverable = 0.25,
                       .findings = {{.id = "DL002", .severity = "warn", .active = true},
                                    {.id = "IO001", .severity = "none", .active = false}}});

  EXPECT_THAT(text, HasSubstr("qanat_build_info{version=\"1.2\",backend=\"\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("qanat_recoverable_ratio 0.25\n"));
  EXPECT_THAT(text, HasSubstr("qanat_finding_active{id=\"DL002\",severity=\"warn\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("qanat_finding_active{id=\"IO001\",severity=\"none\"} 0\n"));
}

}  // namespace
}  // namespace qanat
