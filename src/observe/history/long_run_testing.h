// A run of any length, journalled by the program's own writer as `qanat train` does it on a machine
// with a GPU: steps with their slots, samples of loader, host and GPU every 20 steps, a validation
// every 1,000, a render every 10,000.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "metrics/journal.h"
#include "monitor/gpu_sample.h"
#include "monitor/host_counters.h"
#include "monitor/host_setup.h"

namespace qanat {

struct LongRun {
  std::int64_t first = 0;
  std::int64_t steps = 3'000'000;
  Bytes limit = RunJournal::kLimit;
};

// No two steps are the same; the loss falls from 4 to 2.
inline StepRecord step_of_long_run(std::int64_t i) {
  const auto x = static_cast<double>(i);
  const double noise = std::sin(12.9898 * x) * 0.5;
  return {.step = i,
          .epoch = i / 812,
          .batch = i % 812,
          .rows = 16,
          .padded_frames = 400 + static_cast<int>(i % 7) * 32,
          .tokens = 96,
          .frames = 6000 + i % 400,
          .losses = {.total = 2 + 2 / (1 + x / 1e5) + 0.1 * noise,
                     .mel = 0.7 + 0.05 * noise,
                     .postnet_mel = 0.6 + 0.05 * noise,
                     .prior = 0.9 + 0.05 * noise,
                     .forward_sum = 1.5 + 0.05 * noise,
                     .binarisation = 0.3,
                     .duration = 0.4 + 0.01 * noise},
          .learning_rate = 1e-3 / std::sqrt(1 + x / 4000),
          .gradient_norm = 1.5 + noise,
          .phases = {.wait = Seconds{0.001 + 0.001 * noise},
                     .transfer = Seconds{1.7e-5},
                     .forward = Seconds{0.031 + 0.002 * noise},
                     .loss = Seconds{0.0009},
                     .backward = Seconds{0.058 + 0.004 * noise},
                     .optimizer = Seconds{0.008 + 0.0001 * noise},
                     .checkpoint = Seconds{2.1e-5},
                     .residual = Seconds{4.9e-6}}};
}

inline SlotRecord slot_of_long_run(std::int64_t i) {
  const double at = 0.1 * static_cast<double>(i);
  return {.epoch = i / 812,
          .batch = i % 812,
          .slot = static_cast<int>(i % 6),
          .work = Seconds{0.0123456},
          .bytes = Bytes{247'808},
          .load = StageTime{at - 0.3, at - 0.2987},
          .stage = StageTime{at - 0.29, at - 0.2877},
          .prepare = StageTime{at - 0.28, at - 0.2612},
          .copy = StageTime{at - 0.26, at - 0.2543},
          .train = StageTime{at, at + 0.0987}};
}

inline PipelineStats pipeline_of_long_run(std::int64_t i) {
  const auto x = static_cast<double>(i);
  PipelineStats stats{.age = Seconds{0.1 * x}};
  stats.workers.assign(4, {.rows = 4 * i, .busy = Seconds{0.02 * x}, .blocked = Seconds{0.08 * x}});
  stats.active_workers = 4;
  stats.ready.size = 6;
  stats.ready.capacity = 8;
  stats.ready.occupancy = {.empty = Seconds{0.001 * x}, .full = Seconds{0.099 * x}};
  stats.consumer_busy = Seconds{0.099 * x};
  stats.batches = i;
  stats.rows = 16 * i;
  stats.from_audio = 16 * i;
  stats.frames = FrameCount{6000 * i};
  stats.padded_frames = FrameCount{6400 * i};
  stats.ring = RingUse{.slots = 6, .ready = {.full = Seconds{0.1 * x}}};
  stats.devices = {{.role = "model", .name = "cuda:0", .busy = Seconds{0.098 * x}}};
  for (int k = 0; k < 8; ++k) {
    stats.slowest.push_back({.file = fmt::format("corpus/wavs/LJ001-{:04}.wav", k),
                             .time = Seconds{0.123456 / (k + 1)}});
  }
  return stats;
}

inline void record_long_run(RunJournal& journal, const LongRun& run) {
  const HostCounters host = read_host_counters("/");
  const GpuSetup setup{.driver = "580.1",
                       .gpus = {{.name = std::string("GPU"), .memory = 48e9, .clock_max = 2.1e9}}};
  const GpuSample gpu{.kernels_resident = 0.95, .memory_used = 20e9, .clock = 1.8e9, .limits = 4.0};
  journal.record(RunStart{.mode = "single_gpu", .device = "cuda:0", .allowed_cores = 8});
  journal.record(
      CudaDeviceUsed{.device = "cuda:0", .name = "GPU", .bus_id = "0000:65:00.0", .uuid = "GPU-1"});
  journal.record(GpuSamples{.setup = to_json(setup)});
  journal.record(HostSample{.setup = to_json(read_host_setup("/", ".")),
                            .counters = to_json(host, Reasons::written),
                            .cost = 0.0});
  for (std::int64_t i = run.first; i < run.first + run.steps; ++i) {
    journal.record(slot_of_long_run(i));
    journal.record(step_of_long_run(i));
    if (i % 20 == 19) {
      const auto x = static_cast<double>(i);
      HostCounters now = host;
      now.process_cpu = *host.process_cpu + 1e-6 * x;
      journal.record(pipeline_of_long_run(i));
      journal.record(GpuSamples{.samples = to_json(std::vector{gpu})});
      journal.record(HostSample{.counters = to_json(now, Reasons::left_out), .cost = 1e-6 * x});
    }
    if (i % 1000 == 999) {
      const double loss = step_of_long_run(i).losses.total;
      journal.record(
          ValidationDone{.step = i, .loss = loss, .score = loss, .best = i % 3000 == 2999});
    }
    if (i % 10'000 == 9999) {
      journal.record(EvaluationRendered{.step = i,
                                        .folder = fmt::format("renders/step-{:09}", i),
                                        .seconds = Seconds{1},
                                        .sentences = {{.text = "A sentence.", .seconds = 2}}});
    }
  }
}

}  // namespace qanat
