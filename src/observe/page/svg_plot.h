// A chart with two axes as inline SVG: hand-written, because a chart library would be half of the
// page. Colours come from the page's style by class, so that both themes and print have theirs.
//
//   SvgPlot plot(figure, {.x = {0, 100}, .y = {0, 0.2}, ...});
//   plot.line(points, "c-mean");
//   html += std::move(plot).finish();
//
// Labels handed in are plain text and escaped here. Time runs from left to right in every language.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/binned_series.h"
#include "metrics/order_statistics.h"
#include "page/figure.h"

namespace qanat {

// Which numbers are round: 1, 2, 2.5 and 5; whole ones of these; s, min and h as clocks have them;
// powers of two.
enum class Ticks { decimal, whole, time, bytes };

// Round numbers from low to high, about `wanted` of them.
std::vector<double> nice_ticks(const Range& range, int wanted, Ticks kind = Ticks::decimal);
// From zero to a round number that is not less than `high`.
Range from_zero(double high, Ticks kind = Ticks::decimal);

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotOptions {
  std::string id{};           // of the element, unique on its page
  std::string title{};        // read aloud first
  std::string description{};  // then this: what the chart shows, in figures
  Range x{};
  Range y{};
  std::function<std::string(double)> x_label{};  // empty: an axis without labels
  std::function<std::string(double)> y_label{};  // empty: rows have names of their own
  std::string x_name{};
  Ticks x_ticks = Ticks::decimal;
  Ticks y_ticks = Ticks::decimal;
  int most_x_labels = 7;
  double width = 760;
  double height = 200;
  double left = 76;           // room for the labels of y
  bool labels_twice = false;  // those of y at the right end too: for screens that show no more
};

class SvgPlot {
 public:
  explicit SvgPlot(PlotOptions options);
  // The chart of a figure, with its id, title and words.
  SvgPlot(const Figure& figure, PlotOptions options);

  // From values to the chart's own units; outside values lie on the edge.
  double x(double value) const;
  double y(double value) const;

  // A stretch of x over the full height, with a label at its top.
  void band(const Range& range, std::string_view style, std::string_view label);
  // A vertical line.
  void rule(double value, std::string_view style, std::string_view label);
  // Between least and greatest of every bin.
  void envelope(std::span<const Bin<Envelope>> bins, std::string_view style);
  void means(std::span<const Bin<Envelope>> bins, std::string_view style);
  void line(std::span<const PlotPoint> points, std::string_view style);
  void area(std::span<const PlotPoint> upper,
            std::span<const PlotPoint> lower,
            std::string_view style);
  void box(const Range& xs, const Range& ys, std::string_view style, std::string_view label);
  // A picture from `url`, stretched over a part of the chart.
  void image(const Range& xs, const Range& ys, std::string_view url);
  // A dot, or an arrow where the value lies above the chart.
  void mark(const PlotPoint& point, std::string_view style, std::string_view label);
  // Words left of the axis at a height.
  void row_name(double value, std::string_view name);
  // Words inside the chart, centred at a point.
  void note(const PlotPoint& point, std::string_view style, std::string_view text);

  std::string finish() &&;

 private:
  std::string path_of(std::span<const PlotPoint> points) const;
  std::string axes() const;

  PlotOptions options_;
  std::string body_;
};

}  // namespace qanat
