// Profiles with something of everything, for the tests of their reports.
#pragma once

#include <cstddef>

#include "diagnose/data_profile.h"
#include "diagnose/dual_profile.h"
#include "diagnose/step_profile.h"
#include "diagnose/sweep.h"
#include "locale/messages/findings_compute.h"
#include "locale/messages/findings_data.h"

namespace qanat {

inline SampleSummary sample_times(double mean, std::size_t count = 100) {
  SampleSummary seconds{.count = count,
                        .mean = mean,
                        .std = mean / 10,
                        .min = mean / 2,
                        .max = mean * 2,
                        .p50 = mean};
  if (count >= 59) {
    seconds.p95 = mean * 1.5;
  }
  return seconds;
}

inline StepProfile step_profile() {
  StepProfile profile;
  Diagnosis& diagnosis = profile.diagnosis;
  diagnosis.verdict = VerdictKind::input_bound;
  diagnosis.why = msg::dl002_title{.workers = 1, .idle = plain(1, 1), .cores = 2};
  diagnosis.recoverable_share = 0.2;
  Finding finding;
  finding.id = "DL002";
  finding.title = diagnosis.why;
  finding.severity = FindingSeverity::crit;
  finding.evidence = {{metric::data_wait_share, 0.2}};
  finding.gain.step_now = 0.1;
  finding.gain.step_if_fixed = 0.08;
  finding.gain.speedup = 1.25;
  finding.gain.ci95 = {.low = 1.2, .high = 1.3};
  finding.gain.method = GainMethod::breakdown;
  finding.fixes = {{.key = "data.num_workers", .value = "2"}};
  diagnosis.findings.push_back(finding);
  diagnosis.passed = {{"CMP006", msg::cmp006_title{.share = in_percent(0.03)}}};
  diagnosis.measures.steady.resize(100);
  diagnosis.measures.mean_step = 0.1;
  diagnosis.measures.breakdown = {.wait = Seconds{0.02}, .forward = Seconds{0.08}};
  diagnosis.measures.frames_per_second = 4000;
  profile.phases = {{.name = "data wait", .seconds = sample_times(0.02), .share = 0.2},
                    {.name = "forward", .seconds = sample_times(0.08), .share = 0.8},
                    {.name = "step", .seconds = sample_times(0.1), .share = 1}};
  profile.probe = CachedProbe{.steps = 45,
                              .predicted = 0.08,
                              .predicted_ci95 = {.low = 0.079, .high = 0.081},
                              .measured = 0.0812,
                              .measured_ci95 = {.low = 0.0805, .high = 0.0819}};
  profile.recommended = recommend(diagnosis.findings);
  return profile;
}

inline DataProfile data_profile() {
  DataProfile profile;
  profile.measured.first_batch = 0.05;
  profile.measured.step = 0.04;
  profile.measured.pipeline.from_audio = 1600;
  profile.seconds = sample_times(0.05);
  profile.spread = {.robust_cv = 0.03};
  profile.periodicity = {.longest_tested = 16, .p_value = 0.4};
  profile.batches_per_second = 20;
  profile.speech_per_second = 900;
  profile.padding_share = 0.04;
  profile.queue = {.empty = 0.7, .partial = 0.3};
  profile.workers = {.workers = 1, .busy = 0.97, .blocked = 0.03};
  profile.stages = {{.name = "decode", .share = 0.25, .seconds_per_row = 0.0002},
                    {.name = "mel", .share = 0.75, .seconds_per_row = 0.0006}};
  profile.wait_share = 0.2;
  profile.ready_share = 0.35;
  profile.recommended = step_profile().recommended;
  return profile;
}

inline SweepReport sweep_report() {
  SweepReport sweep{.limits = {.batch = 16, .max_workers = 2}, .seconds = 21.5, .complete = true};
  sweep.cells = {{.batch = 16, .workers = 1, .rates = {99, 100, 101, 100}},
                 {.batch = 16, .workers = 2, .rates = {199, 200, 201, 200}},
                 {.batch = 32, .workers = 2, .rates = {229, 230, 231, 230}},
                 {.batch = 32, .workers = 3, .rates = {}}};
  sweep.choice = choose_cell(sweep.cells, sweep.limits);
  return sweep;
}

inline DualProfile dual_profile() {
  DualProfile profile{.verdict = DualVerdict::pays,
                      .comparison = {.ratio = 1.48, .ci95 = {.low = 1.45, .high = 1.51}},
                      .data_per_batch = 0.05,
                      .train_per_batch = 0.08,
                      .ideal = 0.08,
                      .efficiency = 0.976,
                      .overlap = 0.6,
                      .emulated = true};
  profile.dual.measures.seconds.assign(80, 0.082);
  profile.dual.measures.steady.resize(80);
  profile.dual.measures.mean_step = 0.082;
  profile.dual.measures.spread.robust_cv = 0.04;
  profile.dual.stages = {
      .load = 0.001, .stage = 0.002, .prepare = 0.048, .copy = 0.003, .train = 0.08, .gap = 0.002};
  profile.dual.model_busy = 0.976;
  profile.dual.data_busy = 0.61;
  profile.dual.model = DeviceUse{.name = "virtual:1", .most_memory = mebibytes(512)};
  profile.dual.data =
      DeviceUse{.name = "virtual:0", .most_memory = mebibytes(64), .memory_limit = mebibytes(8192)};
  profile.single.measures.seconds.assign(80, 0.121);
  profile.single.measures.steady.resize(80);
  profile.single.measures.mean_step = 0.121;
  profile.single.stages = {.load = 0.02, .copy = 0.003, .train = 0.119, .gap = 0.002};
  return profile;
}

}  // namespace qanat
