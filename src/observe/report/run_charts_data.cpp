#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "locale/messages/charts.h"
#include "page/svg_plot.h"
#include "report/run_charts.h"

namespace qanat {
namespace {

std::function<std::string(double)> names_at(std::vector<std::string> names) {
  return [names = std::move(names)](double value) {
    const auto at = std::llround(value);
    return value == std::round(value) && at >= 0 && at < std::ssize(names)
               ? names[static_cast<std::size_t>(at)]
               : std::string();
  };
}

// One measurement of a sweep.
struct MeasuredCell {
  int batch = 0;
  int workers = 0;
  double rate = 0;
};

std::vector<MeasuredCell> sweep_cells_of(const nlohmann::json& sweep) {
  std::vector<MeasuredCell> cells;
  const auto listed = sweep.find("cells");
  if (listed == sweep.end() || !listed->is_array()) {
    return cells;
  }
  for (const nlohmann::json& cell : *listed) {
    const auto is_number = [&cell](const char* name) {
      const auto found = cell.find(name);
      return found != cell.end() && found->is_number();
    };
    if (cell.is_object() && is_number("batch") && is_number("workers") && is_number("rate")) {
      cells.push_back({.batch = cell["batch"].get<int>(),
                       .workers = cell["workers"].get<int>(),
                       .rate = cell["rate"].get<double>()});
    }
  }
  return cells;
}

bool is_chosen(const nlohmann::json& sweep, const MeasuredCell& cell) {
  const auto chosen = sweep.find("recommended");
  return chosen != sweep.end() && chosen->is_object() &&
         chosen->value("batch", nlohmann::json()) == cell.batch &&
         chosen->value("workers", nlohmann::json()) == cell.workers;
}

}  // namespace

std::optional<Figure> length_figure(const RunView& run) {
  const Translator& w = run.words;
  const std::map<int, LengthBin>& lengths = run.history.lengths;
  std::int64_t frames = 0;
  std::int64_t padded = 0;
  std::int64_t most = 0;
  std::vector<std::string> names;
  for (const auto& [length, bin] : lengths) {
    frames += bin.frames;
    padded += bin.padded;
    most = std::max(most, bin.padded);
    names.push_back(w.count(length));
  }
  if (padded == 0) {
    return std::nullopt;
  }
  const double padding = 1 - static_cast<double>(frames) / static_cast<double>(padded);
  Figure figure{
      .id = "lengths",
      .title = w.tr(msg::chart_lengths{}),
      .about = w.tr(msg::chart_lengths_about{.padding = in_percent(padding, 1)}),
      .legend = {{"c-bar", w.tr(msg::chart_speech{})}, {"c-padding", w.tr(msg::chart_padding{})}},
      .columns = {w.tr(msg::chart_row_frames{}),
                  w.tr(msg::chart_batches{}),
                  w.tr(msg::chart_speech{}),
                  w.tr(msg::chart_padding{})}};
  SvgPlot plot(figure,
               {.x = {.low = -0.5, .high = static_cast<double>(lengths.size()) - 0.5},
                .y = from_zero(static_cast<double>(most)),
                .x_label = names_at(names),
                .y_label = [&w](double value) { return w.count(std::llround(value)); },
                .x_name = w.tr(msg::chart_padded_frames{}),
                .x_ticks = Ticks::whole,
                .most_x_labels = 14,
                .left = 84});
  double at = 0;
  for (const auto& [length, bin] : lengths) {
    const auto speech = static_cast<double>(bin.frames);
    const auto all = static_cast<double>(bin.padded);
    const double share = all > 0 ? 1 - speech / all : 0;
    plot.box({.low = at - 0.4, .high = at + 0.4},
             {.low = 0, .high = speech},
             "c-bar",
             w.count(bin.frames));
    plot.box({.low = at - 0.4, .high = at + 0.4},
             {.low = speech, .high = all},
             "c-padding",
             w.percent(share));
    figure.rows.push_back(
        {.x = plot.x(at),
         .cells = {w.count(length), w.count(bin.batches), w.count(bin.frames), w.percent(share)}});
    at += 1;
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

std::optional<Figure> sweep_figure(const RunView& run) {
  const Translator& w = run.words;
  if (!run.history.sweep) {
    return std::nullopt;
  }
  const std::vector<MeasuredCell> cells = sweep_cells_of(*run.history.sweep);
  std::set<int> batches;
  std::set<int> workers;
  double best = 0;
  for (const MeasuredCell& cell : cells) {
    batches.insert(cell.batch);
    workers.insert(cell.workers);
    best = std::max(best, cell.rate);
  }
  if (cells.empty() || best <= 0) {
    return std::nullopt;
  }
  std::vector<std::string> columns;
  columns.reserve(workers.size());
  for (const int count : workers) {
    columns.push_back(w.count(count));
  }
  Figure figure{.id = "sweep",
                .title = w.tr(msg::chart_sweep{}),
                .about = w.tr(msg::chart_sweep_about{}),
                .columns = {w.tr(msg::chart_batch_size{}),
                            w.tr(msg::chart_num_workers{}),
                            w.tr(msg::chart_speech_rate{})}};
  SvgPlot plot(figure,
               {.x = {.low = -0.5, .high = static_cast<double>(workers.size()) - 0.5},
                .y = {.low = -0.5, .high = static_cast<double>(batches.size()) - 0.5},
                .x_label = names_at(columns),
                .x_name = w.tr(msg::chart_num_workers{}),
                .x_ticks = Ticks::whole,
                .height = 60 + 36.0 * static_cast<double>(batches.size()),
                .left = 110});
  double row = 0;
  for (const int batch : batches) {
    plot.row_name(row++, w.tr(msg::chart_batch_of{.rows = batch}));
  }
  for (const MeasuredCell& cell : cells) {
    const auto x = static_cast<double>(std::distance(workers.begin(), workers.find(cell.workers)));
    const auto y = static_cast<double>(std::distance(batches.begin(), batches.find(cell.batch)));
    const int heat = std::clamp(static_cast<int>(10 * cell.rate / best), 0, 9);
    plot.box({.low = x - 0.47, .high = x + 0.47},
             {.low = y - 0.46, .high = y + 0.46},
             fmt::format("heat h{}{}", heat, is_chosen(*run.history.sweep, cell) ? " chosen" : ""),
             w.number(cell.rate, 1));
    plot.note({x, y}, heat >= 6 ? "on-bar" : "in-cell", w.number(cell.rate, 1));
    figure.rows.push_back(
        {.x = plot.x(x),
         .cells = {w.count(cell.batch), w.count(cell.workers), w.number(cell.rate, 1)}});
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

}  // namespace qanat
