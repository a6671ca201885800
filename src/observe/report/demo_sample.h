// What `qanat demo` measured, for the tests of its reports.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "locale/messages/demo.h"
#include "locale/messages/findings_data.h"
#include "locale/messages/verdicts.h"
#include "report/feed_table.h"
#include "report/mode_table.h"

namespace qanat {

inline ModeRow mode(const std::string& name, double step, double wait) {
  ModeRow row{.name = name, .memory = mebibytes(300), .folder = "there"};
  RunMeasures& m = row.profile.measures;
  m.steady.resize(80);
  m.seconds.assign(80, step);
  m.adjusted.assign(80, step);
  m.mean_step = step;
  m.mean_interval = {.low = 0.99 * step, .high = 1.01 * step};
  m.effective_steps = 80;
  m.breakdown = {.wait = Seconds{wait * step}, .forward = Seconds{(1 - wait) * step}};
  m.frames_per_second = 4000 / step;
  m.spread.robust_cv = 0.021;
  row.profile.model_busy = 1 - wait;
  row.turns.assign(3, {.rate = m.frames_per_second, .idle_share = wait, .others_share = 0.01});
  row.diagnosis.verdict = wait > 0.1 ? VerdictKind::input_bound : VerdictKind::balanced;
  row.diagnosis.why = wait > 0.1 ? Message(msg::dl005_serial_title{})
                                 : msg::why_balanced{.share = in_percent(1 - wait)};
  return row;
}

inline std::vector<ModeRow> three_modes() {
  std::vector<ModeRow> rows = {mode("serial, unbuffered", 0.25, 0.2),
                               mode("Single-GPU Buffered", 0.2, 0.001),
                               mode("Multi-GPU, 2 virtual", 0.4, 0.001)};
  rows[2].profile.data_busy = 0.12;
  rows[2].emulated = true;
  for (ModeRow& row : rows) {
    std::ranges::for_each(row.turns, [&](Turn& turn) { turn.device_cores = row.emulated ? 1 : 2; });
  }
  return rows;
}

inline FeedRow fed(const std::string& name, double steps_per_s, double wait, double others = 0.01) {
  FeedRow row{.name = name};
  for (const double change : {0.99, 1.0, 1.02}) {
    row.turns.push_back({.steps_per_s = change * steps_per_s,
                         .wait_share = wait,
                         .readiness = wait > 0.1 ? 0.0 : 1.0,
                         .cores = 0.3,
                         .others_share = others});
  }
  return row;
}

inline FeedTable fed_table(double others = 0.01) {
  FeedTable table;
  for (const Seconds delay : {Seconds{0}, Seconds{0.002}}) {
    table.parts.push_back({.delay = delay,
                           .rows = {fed("serial, unbuffered", 11.1, 0.5, others),
                                    fed("Single-GPU Buffered", 22.1, 0.001, others),
                                    {.name = "PyTorch DataLoader, 2 workers",
                                     .chart_name = "PyTorch DataLoader",
                                     .skipped = msg::feed_no_torch{}}}});
  }
  return table;
}

}  // namespace qanat
