// A run with something of everything, line by line as a journal holds it, for tests of pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "history/run_history.h"
#include "metrics/journal_testing.h"

namespace qanat {

// Every step waits 20 ms of 100; every tenth takes 50 ms more; step 150 took a second.
inline StepRecord sample_step(int i) {
  StepRecord step{.step = i,
                  .rows = 4,
                  .padded_frames = 400 + 100 * (i % 3),
                  .tokens = 50,
                  .frames = std::int64_t{4} * (380 + 100 * (i % 3)),
                  .losses = {.total = 5.0 / (1 + i), .mel = 1, .duration = 0.5},
                  .learning_rate = 1e-3,
                  .gradient_norm = 2,
                  .phases = {.wait = Seconds{0.02},
                             .forward = Seconds{0.03},
                             .backward = Seconds{i % 10 == 3 ? 0.1 : 0.05}}};
  if (i == 150) {
    step.phases.wait = Seconds{0.92};
  }
  return step;
}

inline PipelineStats sample_pipeline(int ready) {
  PipelineStats stats;
  stats.active_workers = 1;
  stats.workers = {{.busy = Seconds{9}, .blocked = Seconds{1}}};
  stats.batches = 200;
  stats.rows = 800;
  stats.ready.size = static_cast<std::size_t>(ready);
  stats.ready.capacity = 8;
  stats.ready.occupancy = {.empty = Seconds{6}, .partial = Seconds{3}, .full = Seconds{1}};
  return stats;
}

inline std::vector<nlohmann::json> sample_journal(int steps = 200) {
  std::vector<nlohmann::json> lines;
  lines.push_back({{"kind", "journal"},
                   {"t", 0.0},
                   {"format", 1},
                   {"name", "mary & ali"},
                   {"started", "2024-05-01T10:00:00Z"},
                   {"device", "virtual:1"},
                   {"config",
                    {{"data", {{"train_data", "/data/<script>alert(1)</script>"}}},
                     {"training", {{"max_steps", steps}}}}}});
  lines.push_back({{"kind", "run"},
                   {"t", 0.1},
                   {"allowed_cores", 8},
                   {"cadences", {{"training.log_every", 10}}}});
  lines.push_back({{"kind", "sweep"},
                   {"t", 0.1},
                   {"cells",
                    {{{"batch", 8}, {"workers", 1}, {"rate", 50.0}},
                     {{"batch", 8}, {"workers", 2}, {"rate", 100.0}}}},
                   {"recommended", {{"batch", 8}, {"workers", 2}}}});
  for (int i = 0; i < steps; ++i) {
    const double time = 0.1 * (i + 1);
    lines.push_back({{"kind", "slot"},
                     {"t", time},
                     {"epoch", 0},
                     {"batch", i},
                     {"slot", i % 3},
                     {"load", {time - 0.09, time - 0.08}},
                     {"copy", {time - 0.08, time - 0.075}},
                     {"train", {time - 0.07, time}}});
    lines.push_back(line_of(sample_step(i), time));
    if (i % 50 == 0) {
      lines.push_back(line_of(sample_pipeline(i % 8), time));
    }
  }
  lines.push_back({{"kind", "validation"},
                   {"t", 10.0},
                   {"step", steps / 2},
                   {"loss", 1.5},
                   {"score", 0.75},
                   {"best", true}});
  lines.push_back({{"kind", "validation"},
                   {"t", 20.0},
                   {"step", steps},
                   {"loss", 1.25},
                   {"score", 0.9},
                   {"best", false}});
  lines.push_back({{"kind", "autotune"},
                   {"t", 20.0},
                   {"workers", 2},
                   {"workers_before", 1},
                   {"workers_reason", "<b>slow</b>"}});
  lines.push_back({{"kind", "ended"}, {"t", 20.1}});
  return lines;
}

inline RunRecord sample_record(int steps = 200) {
  RunRecord record;
  for (const nlohmann::json& line : sample_journal(steps)) {
    record.add(entry_of(line));
  }
  return record;
}

}  // namespace qanat
