// For tests of a whole diagnosis: a healthy run of 200 steps, to be spoilt.
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "diagnose/diagnosis.h"
#include "diagnose/rules.h"
#include "locale/translator.h"

namespace qanat {

// A run of 200 steps of variable length on a machine of 8 cores, healthy unless a test breaks it.
class DiagnosisTest : public testing::Test {
 protected:
  DiagnosisTest() {
    summary_.run.allowed_cores = 8;
    summary_.cadences = {{"training.log_every", 10}, {"training.save_every", 25}};
    summary_.pipeline = healthy_loader();
    std::mt19937_64 random(20);
    std::uniform_int_distribution<int> frames(300, 700);
    std::normal_distribution<double> noise(1, 0.01);
    for (int i = 0; i < 200; ++i) {
      summary_.add(make_step(i, frames(random), noise(random)));
    }
  }

  static StepRecord make_step(int number, int frames, double noise) {
    const double work = (0.005 + 0.0001 * frames) * noise;
    return {.step = number,
            .rows = 16,
            .padded_frames = frames,
            .tokens = 80,
            .frames = static_cast<std::int64_t>(16 * frames * 0.97),
            .phases = {.forward = Seconds(0.4 * work),
                       .loss = Seconds(0.05 * work),
                       .backward = Seconds(0.5 * work),
                       .optimizer = Seconds(0.05 * work)}};
  }

  static PipelineStats healthy_loader() {
    PipelineStats stats;
    stats.age = Seconds{11};
    stats.active_workers = 2;
    stats.workers = {{.busy = Seconds{3}, .blocked = Seconds{8}},
                     {.busy = Seconds{3}, .blocked = Seconds{8}}};
    stats.decode.busy = Seconds{1};
    stats.mel.busy = Seconds{5};
    stats.ready.occupancy = {.partial = Seconds{1}, .full = Seconds{10}};
    stats.window.limit = 20;
    stats.batches = 200;
    stats.rows = 3200;
    return stats;
  }

  // The device waits `seconds` in every step, because its workers cannot keep up.
  void starve(double seconds) {
    for (StepRecord& step : summary_.steps) {
      step.phases.wait = Seconds(seconds);
    }
    summary_.pipeline->workers = {{.busy = Seconds{11}}, {.busy = Seconds{11}}};
    summary_.pipeline->ready.occupancy = {.empty = Seconds{10}, .partial = Seconds{1}};
  }

  // Others use half of eight cores for ten seconds; the trainer's thread waits for one.
  void share_the_machine(double waited) {
    HostSummary host{.first_at = 0, .last_at = 10, .samples = 5};
    host.setup.online_cores = 8.0;
    host.setup.affinity_cores = 8.0;
    visit_counters(host.first, [](const char*, Reading<double>& reading) { reading = 0.0; });
    visit_counters(host.last, [](const char*, Reading<double>& reading) { reading = 0.0; });
    host.last.machine_busy = 50.0;
    host.last.process_cpu = 10.0;
    host.first.threads = std::vector<ThreadClock>{};
    host.last.threads = std::vector<ThreadClock>{
        {.name = "train", .threads = 1, .running = 10 - waited, .waiting = waited}};
    summary_.host = host;
  }
  // Steps of equal work take up to `share` longer, and none of them regularly.
  void vary(double share) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> more(0, 2 * share);
    for (StepRecord& step : summary_.steps) {
      step.phases.forward += more(random) * step.phases.total();
    }
  }

  // Three frames of ten are padding with four shapes; with sixteen it would be `then`.
  void pad(double then) {
    for (StepRecord& step : summary_.steps) {
      step.frames = static_cast<std::int64_t>(0.7 * 16 * step.padded_frames);
    }
    summary_.run.bucket_edges = 4;
    summary_.padding_by_edges = {{"4", 0.3}, {"8", 0.5 * (0.3 + then)}, {"16", then}, {"32", then}};
  }

  static std::string english(const Message& message) { return Translator().tr(message); }

  // Rules that a journal is asked.
  static std::size_t num_asked() {
    return static_cast<std::size_t>(std::ranges::count_if(all_rules(), [](const Rule& rule) {
      return !contains(rule.needs, Need::setup | Need::dual | Need::ranks | Need::validations);
    }));
  }

  static bool passed(const Diagnosis& diagnosis, std::string_view id) {
    return std::ranges::find(diagnosis.passed, id, &PassedCheck::id) != diagnosis.passed.end();
  }

  RunSummary summary_;
};

}  // namespace qanat
