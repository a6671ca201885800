#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "report/run_charts.h"
#include "report/svg_plot.h"

namespace qanat {
namespace {

constexpr std::size_t kMaxTrainingRows = 80;

// Losses may be negative: the axis takes what there is, with a little air.
Range around(const EnvelopeSeries& series, const std::vector<ValidationPoint>& validations) {
  Range range{.low = series.bins().front().content.low, .high = series.bins().front().content.high};
  for (const Bin<Envelope>& bin : series.bins()) {
    range.low = std::min(range.low, bin.content.low);
    range.high = std::max(range.high, bin.content.high);
  }
  for (const ValidationPoint& point : validations) {
    range.low = std::min(range.low, point.loss);
    range.high = std::max(range.high, point.loss);
  }
  const double air = 0.05 * std::max(range.high - range.low, 1e-9);
  return {.low = range.low >= 0 && range.low < 0.5 * range.high ? 0 : range.low - air,
          .high = range.high + air};
}

// Nothing when there are too few steps for a line.
std::optional<Figure> small_figure(const char* id,
                                   const char* title,
                                   const EnvelopeSeries& series,
                                   const Words& w) {
  if (series.bins().size() < 2) {
    return std::nullopt;
  }
  return series_figure(
      {.id = id,
       .title = w.say(title),
       .about = "",
       .x_name = w.say("step"),
       .value_name = w.say("mean"),
       .x_label = [&w](double value) { return w.count(std::llround(value)); },
       .y_label = [&w](double value) { return w.digits(fmt::format("{:.3g}", value)); },
       .most_x_labels = 4,
       .width = 360,
       .height = 130,
       .left = 64},
      series,
      w);
}

bool is_always_zero(const EnvelopeSeries& series) {
  return std::ranges::all_of(series.bins(), [](const Bin<Envelope>& bin) {
    return bin.content.low == 0 && bin.content.high == 0;
  });
}

}  // namespace

std::optional<Figure> loss_figure(const RunView& run) {
  const Words& w = run.words;
  const RunHistory& history = run.history;
  if (history.loss.empty()) {
    return std::nullopt;
  }
  const auto bins = history.loss.bins();
  Figure figure{
      .id = "loss",
      .title = w.say("Loss"),
      .about = w.say(fmt::format("Total loss of {} steps; at the end {:.4f}.",
                                 std::llround(bins.back().last - bins.front().first) + 1,
                                 bins.back().mean())),
      .legend = {{"c-mean-fill", w.say("training")}, {"c-range", w.say("least to greatest")}},
      .columns = {w.say("steps"), w.say("mean"), w.say("least"), w.say("greatest")}};
  if (!history.validations.empty()) {
    figure.legend.push_back({"validation", w.say("validation"), LegendShape::dot});
  }
  if (std::ranges::any_of(history.validations, &ValidationPoint::best)) {
    figure.legend.push_back({"validation best", w.say("best so far"), LegendShape::dot});
  }
  const auto loss_label = [&w](double value) { return w.short_number(value, 3); };
  SvgPlot plot({.id = figure.id,
                .title = figure.title,
                .description = figure.about,
                .x = {.low = bins.front().first, .high = bins.back().last},
                .y = around(history.loss, history.validations),
                .x_label = [&w](double value) { return w.count(std::llround(value)); },
                .y_label = loss_label,
                .x_name = w.say("step"),
                .x_ticks = Ticks::whole,
                .height = 240});
  plot.envelope(bins, "c-range");
  plot.means(bins, "c-mean");
  for (const ValidationPoint& point : history.validations) {
    plot.mark({static_cast<double>(point.step), point.loss},
              point.best ? "validation best" : "validation",
              w.say(fmt::format("validation at step {}: {:.4f}", point.step, point.loss)));
  }
  for (const Bin<Envelope>& bin : joined_to(bins, kMaxTrainingRows)) {
    figure.rows.push_back({.x = plot.x(bin.middle()),
                           .cells = {steps_of(bin.first, bin.last, w),
                                     w.number(bin.mean(), 4),
                                     w.number(bin.content.low, 4),
                                     w.number(bin.content.high, 4)}});
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

std::vector<Figure> loss_part_figures(const RunView& run) {
  static constexpr std::array<std::pair<const char*, const char*>, 6> kParts{
      {{"mel", "Mel"},
       {"refined", "Mel after the postnet"},
       {"prior", "Prior"},
       {"forward_sum", "Aligner: forward sum"},
       {"binarisation", "Aligner: binarisation"},
       {"duration", "Duration"}}};
  std::vector<Figure> figures;
  for (const auto& [name, title] : kParts) {
    const auto found = run.history.loss_parts.find(name);
    if (found == run.history.loss_parts.end() || is_always_zero(found->second)) {
      continue;  // the model has no such part
    }
    if (auto figure =
            small_figure((std::string("loss-") + name).c_str(), title, found->second, run.words)) {
      figures.push_back(*std::move(figure));
    }
  }
  return figures;
}

std::optional<Figure> learning_rate_figure(const RunView& run) {
  return small_figure("learning-rate", "Learning rate", run.history.learning_rate, run.words);
}

std::optional<Figure> gradient_figure(const RunView& run) {
  return small_figure(
      "gradient", "Gradient norm before clipping", run.history.gradient_norm, run.words);
}

}  // namespace qanat
