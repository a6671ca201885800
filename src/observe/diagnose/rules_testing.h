// For tests of rules: a run of sixty steady steps on a healthy machine, to be spoilt.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "diagnose/rules.h"
#include "locale/translator.h"

namespace qanat {

class RulesTest : public testing::Test {
 protected:
  RulesTest() {
    for (int i = 0; i < 60; ++i) {
      summary_.add(StepRecord{
          .step = i,
          .rows = 16,
          .padded_frames = 400 + i % 7,
          .frames = std::int64_t{16} * 390,
          .phases = {.forward = Seconds{0.04 + 0.0001 * (i % 7)}, .backward = Seconds{0.06}}});
    }
    summary_.pipeline = PipelineStats{};
    summary_.pipeline->active_workers = 2;
    summary_.pipeline->from_audio = 960;
    summary_.pipeline->decode.busy = Seconds{1};
    summary_.pipeline->mel.busy = Seconds{2};
    summary_.run = {.mode = "single_buffered", .device = "cpu"};
    healthy_host();
  }

  // Ten seconds on four cores, of which the run uses two.
  void healthy_host() {
    HostSummary host{.first_at = 0, .last_at = 10, .samples = 5};
    host.setup = {.online_cores = 4.0,
                  .affinity_cores = 4.0,
                  .cpu_quota = Reading<double>::none(std::string(kNoLimit)),
                  .locked_memory = 8e6,
                  .numa_nodes = 1.0,
                  .core_nodes = std::string("0"),
                  .governor = std::string("performance"),
                  .clock_driver = std::string("acpi-cpufreq"),
                  .data_file_system = std::string("ext4")};
    visit_counters(host.first, [](const char*, Reading<double>& reading) { reading = 0.0; });
    visit_counters(host.last, [](const char*, Reading<double>& reading) { reading = 0.0; });
    host.last.machine_busy = 20.0;
    host.last.process_cpu = 19.0;
    host.last.read_bytes = 1e8;
    host.first.threads = std::vector<ThreadClock>{};
    host.last.threads =
        std::vector<ThreadClock>{{.name = "load", .threads = 2, .running = 4, .waiting = 0.1},
                                 {.name = "train", .threads = 1, .running = 10, .waiting = 0.1}};
    summary_.host = host;
  }

  void wait_for_data(double seconds) {
    for (StepRecord& step : summary_.steps) {
      step.phases.wait = Seconds{seconds};
    }
  }

  // Two GPUs of one kind that work, sampled ten times.
  void two_gpus() {
    const auto gpu = [](const char* bus) {
      return GpuFacts{.bus_id = std::string(bus),
                      .name = std::string("Card"),
                      .numa_node = 0.0,
                      .memory = 24e9,
                      .clock_max = 2.5e9,
                      .link_gen_max = 4.0,
                      .link_width_max = 16.0,
                      .persistence = 1.0};
    };
    const GpuSetup setup{
        .driver = "535",
        .gpus = {gpu("0000:65:00.0"), gpu("0000:66:00.0")},
        .pairs = {{.first = 0, .second = 1, .peer_copies = 1.0, .distance = 30.0}}};
    const GpuHistory history{
        .samples = 10,
        .busy = 10,
        .clock_free = 10 * 2.4e9,
        .num_free = 10,
        .link_gen = 4,
        .link_width = 16,
        .memory_most = 10e9,
        .resident = 9.5,
        .num_resident = 10,
        .last = {.uncorrected_errors = 0.0, .remap_pending = 0.0, .other_processes = 0.0}};
    summary_.gpus = GpuSummary{.setup = setup, .gpus = {history, history}};
    summary_.cuda_devices = {{.device = "cuda:0", .name = "Card", .bus_id = "0000:65:00.0"}};
    summary_.run.device = "cuda:0";
  }
  // A run on both, whose batches of eight megabytes took `seconds` from one to the other.
  static constexpr std::int64_t kEightMegabytes = 8'000'000;
  void copy_batches(double seconds) {
    summary_.run.mode = "multi_gpu";
    summary_.slots.assign(summary_.steps.size(),
                          {.bytes = Bytes{kEightMegabytes}, .copy = StageTime{0, seconds}});
  }
  void no_gpus() {
    summary_.gpus = GpuSummary{.setup = Reading<GpuSetup>::none("libnvidia-ml.so.1: not there")};
  }
  // The setup of GPUs, to be spoilt.
  void change_setup(const std::function<void(GpuSetup&)>& change) {
    GpuSetup setup = *summary_.gpus->setup;
    change(setup);
    summary_.gpus->setup = setup;
  }

  RuleOutcome decide(std::string_view id) const {
    const RunMeasures measures = measure_run(summary_);
    return ask(*find_rule(id), {.summary = summary_, .measures = measures});
  }
  static bool is_passed(const RuleOutcome& outcome) {
    return std::holds_alternative<PassedCheck>(outcome);
  }
  static bool is_skipped(const RuleOutcome& outcome) {
    return std::holds_alternative<SkippedCheck>(outcome);
  }
  static std::string english(const Message& message) { return Translator().tr(message); }
  // Empty for those that are not skipped.
  static std::string skip_reason(const RuleOutcome& outcome) {
    const auto* const check = std::get_if<SkippedCheck>(&outcome);
    return check != nullptr ? english(check->reason) : std::string();
  }
  // A finding that has all a reader needs.
  static void expect_complete(const RuleOutcome& outcome, std::string_view id) {
    ASSERT_TRUE(std::holds_alternative<Finding>(outcome)) << id << ' ' << skip_reason(outcome);
    const Finding& finding = std::get<Finding>(outcome);
    EXPECT_EQ(finding.id, id);
    EXPECT_TRUE(finding.title);
    EXPECT_FALSE(finding.evidence.empty());
    EXPECT_FALSE(finding.fixes.empty());
    EXPECT_TRUE(finding.verify);
  }

  RunSummary summary_;
};

}  // namespace qanat
