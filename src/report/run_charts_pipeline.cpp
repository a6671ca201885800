#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "report/run_charts.h"
#include "report/svg_plot.h"

namespace qanat {
namespace {

struct Part {
  const char* style;
  const char* name;
  double value = 0;  // s
};

// Rows of stacked shares: what each was doing of its time.
struct ShareRow {
  std::string name;
  std::vector<Part> parts;
};

double total_of(const ShareRow& row) {
  double total = 0;
  for (const Part& part : row.parts) {
    total += part.value;
  }
  return total;
}

void draw_shares(Figure& figure, const std::vector<ShareRow>& rows, const Words& w) {
  const auto num_rows = static_cast<double>(rows.size());
  SvgPlot plot({.id = figure.id,
                .title = figure.title,
                .description = figure.about,
                .x = {.low = 0, .high = 1},
                .y = {.low = 0, .high = num_rows},
                .x_label = [&w](double value) { return w.percent(value, 0); },
                .x_name = w.say("share of its time"),
                .height = 60 + 26 * num_rows,
                .left = 110});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double low = num_rows - 1 - static_cast<double>(i);
    const double total = total_of(rows[i]);
    FigureRow row{.x = plot.x(0.5), .cells = {rows[i].name}};
    double from = 0;
    for (const Part& part : rows[i].parts) {
      const double share = total > 0 ? part.value / total : 0;
      plot.box({.low = from, .high = from + share},
               {.low = low + 0.12, .high = low + 0.88},
               part.style,
               fmt::format("{}: {}", w.say(part.name), w.percent(share)));
      if (share >= 0.08) {
        plot.note({from + share / 2, low + 0.5}, "on-bar", w.percent(share, 0));
      }
      from += share;
      row.cells.push_back(w.percent(share));
    }
    plot.row_name(low + 0.5, rows[i].name);
    figure.rows.push_back(std::move(row));
  }
  for (const Part& part : rows.front().parts) {
    figure.legend.push_back({part.style, w.say(part.name)});
    figure.columns.push_back(w.say(part.name));
  }
  figure.chart = std::move(plot).finish();
}

std::string switched_on(int workers) {
  return workers == 1 ? "One worker was switched on at the end."
                      : fmt::format("{} workers were switched on at the end.", workers);
}

}  // namespace

std::optional<Figure> queue_figure(const RunView& run) {
  const Words& w = run.words;
  if (run.history.ready.bins().size() < 2) {
    return std::nullopt;  // journals of short runs hold one line about the loader: no series
  }
  return series_figure(
      {.id = "queue",
       .title = w.say("Batches that were ready"),
       .about = w.say("Finished batches waiting for the device; at zero the device waits."),
       .x_name = w.say("time of the run"),
       .value_name = w.say("batches"),
       .x_label = time_label(run.history.last_time, w),
       .y_label = [&w](double value) { return w.short_number(value, 1); },
       .limit = run.history.ready_capacity,
       .x_ticks = Ticks::time,
       .y_ticks = Ticks::whole},
      run.history.ready,
      w);
}

std::optional<Figure> occupancy_figure(const RunView& run) {
  const Words& w = run.words;
  if (!run.trace.pipeline || run.trace.pipeline->ready.occupancy.total() <= Seconds{0}) {
    return std::nullopt;
  }
  const Occupancy& ready = run.trace.pipeline->ready.occupancy;
  Figure figure{.id = "occupancy",
                .title = w.say("How full the buffer of ready batches was"),
                .about = w.say(fmt::format("Empty {:.1f} % of the time, full {:.1f} %.",
                                           100 * (ready.empty / ready.total()),
                                           100 * (ready.full / ready.total()))),
                .columns = {w.say("buffer")}};
  draw_shares(figure,
              {{.name = w.say("ready batches"),
                .parts = {{"c-empty", "empty", ready.empty.count()},
                          {"c-partial", "partly filled", ready.partial.count()},
                          {"c-full", "full", ready.full.count()}}}},
              w);
  return figure;
}

std::optional<Figure> workers_figure(const RunView& run) {
  constexpr std::size_t kMostWorkers = 32;
  const Words& w = run.words;
  std::vector<ShareRow> rows;
  if (run.trace.pipeline) {
    const std::vector<WorkerStats>& workers = run.trace.pipeline->workers;
    for (std::size_t i = 0; i < std::min(workers.size(), kMostWorkers); ++i) {
      const WorkerStats& worker = workers[i];
      if ((worker.busy + worker.blocked + worker.starved).count() <= 0) {
        continue;  // was never switched on
      }
      rows.push_back({.name = w.say(fmt::format("worker {}", i + 1)),
                      .parts = {{"c-busy", "busy", worker.busy.count()},
                                {"c-full", "buffer full", worker.blocked.count()},
                                {"c-empty", "nothing to do", worker.starved.count()},
                                {"c-parked", "switched off", worker.parked.count()}}});
    }
  }
  if (rows.empty()) {
    return std::nullopt;
  }
  Figure figure{.id = "workers",
                .title = w.say("What the loader's workers did"),
                .about = w.say(switched_on(run.trace.pipeline->active_workers)),
                .columns = {w.say("worker")}};
  draw_shares(figure, rows, w);
  return figure;
}

std::optional<Figure> slots_figure(const RunView& run) {
  const Words& w = run.words;
  const std::deque<SlotRecord>& slots = run.history.slots;
  if (slots.empty()) {
    return std::nullopt;
  }
  int most = 0;
  Range time{.low = std::numeric_limits<double>::max(), .high = 0};
  for (const SlotRecord& use : slots) {
    most = std::max(most, use.slot);
    SlotRecord::visit_stages(use, [&time](const char*, const std::optional<StageTime>& stage) {
      time.high = stage ? std::max(time.high, stage->end) : time.high;
      time.low = stage ? std::min(time.low, stage->begin) : time.low;
    });
  }
  Figure figure{.id = "slots",
                .title = w.say("The slots of the transfer ring"),
                .about = w.say(fmt::format("The last {} batches on their way.", slots.size())),
                .columns = {w.say("batch"), w.say("slot")},
                .folded = true};
  SvgPlot plot({.id = figure.id,
                .title = figure.title,
                .description = figure.about,
                .x = time,
                .y = {.low = 0, .high = most + 1.0},
                .x_label = time_label(time.high, w),
                .x_name = w.say("time since the ring was made"),
                .x_ticks = Ticks::time,
                .height = 60 + 30.0 * (most + 1),
                .left = 80});
  for (int slot = 0; slot <= most; ++slot) {
    plot.row_name(most - slot + 0.5, w.say(fmt::format("slot {}", slot)));
  }
  SlotRecord::visit_stages(slots.front(), [&](const char* what, const auto&) {
    figure.legend.push_back({std::string("c-s-") + what, w.say(what)});
    figure.columns.push_back(w.say(what));
  });
  for (const SlotRecord& use : slots) {
    const std::string batch = w.count(use.epoch) + "/" + w.count(use.batch);
    FigureRow row{.cells = {batch, w.count(use.slot)}};
    SlotRecord::visit_stages(use, [&](const char* what, const std::optional<StageTime>& stage) {
      if (!stage) {
        row.cells.push_back(w.say("not measured"));
        return;
      }
      const std::string took = w.duration(Seconds(stage->length()));
      const double low = most - use.slot;
      plot.box({.low = stage->begin, .high = stage->end},
               {.low = low + 0.15, .high = low + 0.85},
               std::string("c-s-") + what,
               fmt::format("{}: {}", w.say(what), took));
      row.x = plot.x(stage->end);
      row.cells.push_back(took);
    });
    figure.rows.push_back(std::move(row));
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

}  // namespace qanat
