// A line with its envelope over steps or time: the chart that pages have most of.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "metrics/binned_series.h"
#include "page/figure.h"
#include "page/svg_plot.h"

namespace qanat {

using AxisLabel = std::function<std::string(double)>;

// Labels of an axis of steps, of time ("2.5 s" in short runs, "3:58" in others), of shares.
AxisLabel step_label(const Translator& words);
AxisLabel time_label(double longest, const Translator& words);
AxisLabel percent_label(const Translator& words);

// What runs from left to right.
struct ChartAxis {
  std::string name{};
  AxisLabel label{};
  Ticks ticks = Ticks::whole;
};
ChartAxis step_axis(const Translator& words);
ChartAxis run_time_axis(double longest, const Translator& words);

struct SeriesChart {
  std::string id{};
  std::string title{};
  std::string spoken{};  // its title where it is read aloud, out of its place; empty: the same
  std::string about{};
  ChartAxis x{};
  std::string value_name{};
  AxisLabel y_label{};
  std::optional<Range> y{};        // the axis; absent: what the values need
  std::vector<PlotPoint> limit{};  // each from its x on; the first is that of what is before, too
  std::vector<LegendEntry> legend{};
  std::function<void(SvgPlot&)> marks{};  // what stands on the line
  Ticks y_ticks = Ticks::decimal;
  int most_x_labels = 7;
  double width = 760;
  double height = 160;
  double left = 76;
};
// `series` has at least one value.
Figure series_figure(const SeriesChart& chart,
                     const EnvelopeSeries& series,
                     const Translator& words);
// A narrow one, to stand beside others; nothing when there are too few values for a line.
std::optional<Figure> strip_figure(SeriesChart chart,
                                   const EnvelopeSeries& series,
                                   const Translator& words);

// The most rows of the table behind a chart: of more, neighbours join.
inline constexpr std::size_t kMaxFigureRows = 80;

// "1,000" or "1,000–1,009".
template <typename Content>
std::string range_label(const Bin<Content>& bin, const AxisLabel& label) {
  const std::string from = label(bin.first);
  const std::string to = label(bin.last);
  return from == to ? from : from + "–" + to;
}

}  // namespace qanat
