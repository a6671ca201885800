#include "page/series_chart.h"

#include <algorithm>
#include <cmath>

#include "locale/messages/charts.h"

namespace qanat {
namespace {

// From zero, or below: losses may be negative.
Range axis_of(const SeriesChart& chart, std::span<const Bin<Envelope>> bins) {
  double highest = 0;
  double lowest = 0;
  for (const PlotPoint& limit : chart.limit) {
    highest = std::max(highest, limit.y);
  }
  for (const Bin<Envelope>& bin : bins) {
    highest = std::max(highest, bin.content.high);
    lowest = std::min(lowest, bin.content.low);
  }
  return {.low = lowest, .high = from_zero(highest, chart.y_ticks).high};
}

// Stairs from edge to edge.
std::vector<PlotPoint> limit_line(const SeriesChart& chart, const Range& x) {
  std::vector<PlotPoint> line;
  for (const PlotPoint& limit : chart.limit) {
    if (line.empty()) {
      line.push_back({x.low, limit.y});
    } else if (limit.y != line.back().y) {
      line.push_back({limit.x, line.back().y});
      line.push_back(limit);
    }
  }
  line.push_back({x.high, line.back().y});
  return line;
}

}  // namespace

AxisLabel step_label(const Translator& words) {
  return [words](double value) { return words.count(std::llround(value)); };
}

AxisLabel time_label(double longest, const Translator& words) {
  return [longest, words](double value) {
    return longest < 60 ? words.tick(Seconds(value)) : words.clock(Seconds(value));
  };
}

AxisLabel percent_label(const Translator& words) {
  return [words](double value) { return words.percent(value, 0); };
}

ChartAxis step_axis(const Translator& words) {
  return {.name = words.tr(msg::chart_step{}), .label = step_label(words)};
}

ChartAxis run_time_axis(double longest, const Translator& words) {
  return {.name = words.tr(msg::chart_run_time{}),
          .label = time_label(longest, words),
          .ticks = Ticks::time};
}

Figure series_figure(const SeriesChart& chart,
                     const EnvelopeSeries& series,
                     const Translator& words) {
  const auto bins = series.bins();
  Figure figure{.id = chart.id,
                .title = chart.title,
                .about = chart.about,
                .legend = chart.legend,
                .columns = {chart.x.name,
                            chart.value_name,
                            words.tr(msg::chart_least{}),
                            words.tr(msg::chart_greatest{})},
                .newest_last = true};
  const Range x{.low = bins.front().first, .high = bins.back().last};
  SvgPlot plot(figure,
               {.title = chart.spoken,
                .x = x,
                .y = chart.y ? *chart.y : axis_of(chart, bins),
                .x_label = chart.x.label,
                .y_label = chart.y_label,
                .x_name = chart.x.name,
                .x_ticks = chart.x.ticks,
                .y_ticks = chart.y_ticks,
                .most_x_labels = chart.most_x_labels,
                .width = chart.width,
                .height = chart.height,
                .left = chart.left});
  plot.envelope(bins, "c-range");
  plot.means(bins, "c-mean");
  if (!chart.limit.empty()) {
    plot.line(limit_line(chart, x), "limit");
    figure.legend.push_back({"limit", words.tr(msg::chart_limit{}), LegendShape::line});
  }
  if (chart.marks) {
    chart.marks(plot);
  }
  for (const Bin<Envelope>& bin : joined_to(bins, kMaxFigureRows)) {
    figure.rows.push_back({.x = plot.x(bin.middle()),
                           .cells = {range_label(bin, chart.x.label),
                                     chart.y_label(bin.mean()),
                                     chart.y_label(bin.content.low),
                                     chart.y_label(bin.content.high)}});
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

std::optional<Figure> strip_figure(SeriesChart chart,
                                   const EnvelopeSeries& series,
                                   const Translator& words) {
  if (series.bins().size() < 2) {
    return std::nullopt;
  }
  chart.most_x_labels = 4;
  chart.width = 360;
  chart.height = 130;
  return series_figure(chart, series, words);
}

}  // namespace qanat
