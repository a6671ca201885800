#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "locale/messages/charts.h"
#include "page/series_chart.h"
#include "report/known_names.h"
#include "report/run_charts.h"

namespace qanat {
namespace {

struct Part {
  const char* style;
  Message name;
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

void draw_shares(Figure& figure, const std::vector<ShareRow>& rows, const Translator& w) {
  const auto num_rows = static_cast<double>(rows.size());
  SvgPlot plot(figure,
               {.x = {.low = 0, .high = 1},
                .y = {.low = 0, .high = num_rows},
                .x_label = percent_label(w),
                .x_name = w.tr(msg::chart_own_share{}),
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
               fmt::format("{}: {}", w.tr(part.name), w.percent(share)));
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
    figure.legend.push_back({part.style, w.tr(part.name)});
    figure.columns.push_back(w.tr(part.name));
  }
  figure.chart = std::move(plot).finish();
}

}  // namespace

std::optional<Figure> queue_figure(const RunView& run) {
  const Translator& w = run.words;
  if (run.history.ready.bins().size() < 2) {
    return std::nullopt;  // journals of short runs hold one line about the loader: no series
  }
  std::vector<PlotPoint> limit;
  for (const Bin<Envelope>& bin : run.history.ready_limit.bins()) {
    limit.push_back({bin.first, bin.content.high});
  }
  return series_figure({.id = "queue",
                        .title = w.tr(msg::chart_ready{}),
                        .about = w.tr(msg::chart_ready_about{}),
                        .x = run_time_axis(run.history.last_time, w),
                        .value_name = w.tr(msg::chart_batches{}),
                        .y_label = [&w](double value) { return w.short_number(value, 1); },
                        .limit = std::move(limit),
                        .y_ticks = Ticks::whole},
                       run.history.ready,
                       w);
}

std::optional<Figure> occupancy_figure(const RunView& run) {
  const Translator& w = run.words;
  if (!run.summary.pipeline || run.summary.pipeline->ready.occupancy.total() <= Seconds{0}) {
    return std::nullopt;
  }
  const Occupancy& ready = run.summary.pipeline->ready.occupancy;
  Figure figure{
      .id = "occupancy",
      .title = w.tr(msg::chart_occupancy{}),
      .about = w.tr(msg::chart_occupancy_about{.empty = in_percent(ready.empty / ready.total(), 1),
                                               .full = in_percent(ready.full / ready.total(), 1)}),
      .columns = {w.tr(msg::chart_buffer{})}};
  draw_shares(figure,
              {{.name = w.tr(msg::chart_ready_batches{}),
                .parts = {{"c-empty", msg::chart_empty{}, ready.empty.count()},
                          {"c-partial", msg::chart_partial{}, ready.partial.count()},
                          {"c-full", msg::chart_full{}, ready.full.count()}}}},
              w);
  return figure;
}

std::optional<Figure> workers_figure(const RunView& run) {
  constexpr std::size_t kMaxWorkers = 32;
  const Translator& w = run.words;
  std::vector<ShareRow> rows;
  if (run.summary.pipeline) {
    const std::vector<WorkerStats>& workers = run.summary.pipeline->workers;
    for (std::size_t i = 0; i < std::min(workers.size(), kMaxWorkers); ++i) {
      const WorkerStats& worker = workers[i];
      if ((worker.busy + worker.blocked + worker.starved).count() <= 0) {
        continue;  // was never switched on
      }
      rows.push_back({.name = w.tr(msg::chart_worker_number{.number = i + 1}),
                      .parts = {{"c-busy", msg::chart_busy{}, worker.busy.count()},
                                {"c-full", msg::chart_buffer_full{}, worker.blocked.count()},
                                {"c-empty", msg::chart_nothing_to_do{}, worker.starved.count()},
                                {"c-parked", msg::chart_switched_off{}, worker.parked.count()}}});
    }
  }
  if (rows.empty()) {
    return std::nullopt;
  }
  Figure figure{
      .id = "workers",
      .title = w.tr(msg::chart_workers{}),
      .about = w.tr(msg::chart_workers_about{.workers = run.summary.pipeline->active_workers}),
      .columns = {w.tr(msg::chart_worker{})}};
  draw_shares(figure, rows, w);
  return figure;
}

std::optional<Figure> slots_figure(const RunView& run) {
  const Translator& w = run.words;
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
                .title = w.tr(msg::chart_slots{}),
                .about = w.tr(msg::chart_slots_about{.batches = slots.size()}),
                .columns = {w.tr(msg::chart_batch{}), w.tr(msg::chart_slot{})},
                .folded = true};
  SvgPlot plot(figure,
               {.x = time,
                .y = {.low = 0, .high = most + 1.0},
                .x_label = time_label(time.high, w),
                .x_name = w.tr(msg::chart_ring_time{}),
                .x_ticks = Ticks::time,
                .height = 60 + 30.0 * (most + 1),
                .left = 80});
  for (int slot = 0; slot <= most; ++slot) {
    plot.row_name(most - slot + 0.5, w.tr(msg::chart_slot_number{.number = slot}));
  }
  SlotRecord::visit_stages(slots.front(), [&](const char* what, const auto&) {
    figure.legend.push_back({std::string("c-s-") + what, w.said(in_words(what))});
    figure.columns.push_back(w.said(in_words(what)));
  });
  for (const SlotRecord& use : slots) {
    const std::string batch = w.count(use.epoch) + "/" + w.count(use.batch);
    FigureRow row{.cells = {batch, w.count(use.slot)}};
    SlotRecord::visit_stages(use, [&](const char* what, const std::optional<StageTime>& stage) {
      if (!stage) {
        row.cells.push_back(w.tr(msg::chart_not_measured{}));
        return;
      }
      const std::string took = w.duration(Seconds(stage->length()));
      const double low = most - use.slot;
      plot.box({.low = stage->begin, .high = stage->end},
               {.low = low + 0.15, .high = low + 0.85},
               std::string("c-s-") + what,
               fmt::format("{}: {}", w.said(in_words(what)), took));
      row.x = plot.x(stage->end);
      row.cells.push_back(took);
    });
    figure.rows.push_back(std::move(row));
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

}  // namespace qanat
