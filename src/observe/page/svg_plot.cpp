#include "page/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "page/html.h"

namespace qanat {
namespace {

constexpr double kTop = 18;
constexpr double kRight = 24;
constexpr double kBottom = 38;

// Tenths of a unit are finer than any screen.
std::string at(double value) {
  std::string text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string tooltip(std::string_view label) {
  return label.empty() ? std::string() : fmt::format("<title>{}</title>", html_escaped(label));
}

// In the chart's own units, from here on.
std::string svg_text(std::string_view style, const PlotPoint& where, std::string_view words) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n",
                     style,
                     at(where.x),
                     at(where.y),
                     html_escaped(words));
}

std::string svg_box(std::string_view style,
                    const PlotPoint& corner,
                    const PlotPoint& size,
                    std::string_view label) {
  return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>\n",
                     style,
                     at(corner.x),
                     at(corner.y),
                     at(size.x),
                     at(size.y),
                     tooltip(label));
}

constexpr double kSlack = 1.0000001;  // for what is round but for its last bits

double decimal_step(double raw) {
  const double size = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (raw <= factor * size * kSlack) {
      return factor * size;
    }
  }
  return 10 * size;
}

double time_step(double raw) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  if (raw <= 1) {
    return decimal_step(raw);
  }
  for (const double unit : {1.0, kMinute, kHour}) {
    for (const double factor : {1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0}) {
      const bool fits = unit < kHour || factor < 10;  // hours go on by days
      if (fits && raw <= factor * unit * kSlack) {
        return factor * unit;
      }
    }
  }
  return 24 * kHour * (raw <= 12 * kHour ? 0.5 : std::max(1.0, decimal_step(raw / 24 / kHour)));
}

double round_step(double raw, Ticks kind) {
  switch (kind) {
    case Ticks::time:
      return time_step(raw);
    case Ticks::bytes:
      return std::exp2(std::ceil(std::log2(raw / kSlack)));
    case Ticks::whole:
      return raw <= 1 ? 1 : std::ceil(decimal_step(raw));
    case Ticks::decimal:
      break;
  }
  return decimal_step(raw);
}

}  // namespace

std::vector<double> nice_ticks(const Range& range, int wanted, Ticks kind) {
  const double span = range.high - range.low;
  if (!(span > 0) || !std::isfinite(span)) {
    return {range.low};
  }
  const double step = round_step(span / wanted, kind);
  std::vector<double> ticks;
  for (double tick = std::ceil(range.low / step - 1e-9) * step; tick <= range.high + 1e-9 * span;
       tick += step) {
    ticks.push_back(std::abs(tick) < 1e-9 * span ? 0 : tick);
  }
  return ticks;
}

Range from_zero(double high, Ticks kind) {
  if (!(high > 0) || !std::isfinite(high)) {
    return {.low = 0, .high = 1};
  }
  const double step = round_step(high / 4, kind);
  return {.low = 0, .high = step * std::ceil(high / step - 1e-9)};
}

SvgPlot::SvgPlot(PlotOptions options) : options_(std::move(options)) {
  if (options_.x.high <= options_.x.low) {
    options_.x.high = options_.x.low + 1;
  }
  if (options_.y.high <= options_.y.low) {
    options_.y.high = options_.y.low + 1;
  }
}

SvgPlot::SvgPlot(const Figure& figure, PlotOptions options) : SvgPlot(std::move(options)) {
  options_.id = figure.id;
  options_.title = options_.title.empty() ? figure.title : options_.title;
  options_.description = figure.about;
  options_.labels_twice = figure.newest_last;
}

double SvgPlot::x(double value) const {
  const double share = (value - options_.x.low) / (options_.x.high - options_.x.low);
  return options_.left + std::clamp(share, 0.0, 1.0) * (options_.width - options_.left - kRight);
}

double SvgPlot::y(double value) const {
  const double share = (value - options_.y.low) / (options_.y.high - options_.y.low);
  return options_.height - kBottom -
         std::clamp(share, 0.0, 1.0) * (options_.height - kBottom - kTop);
}

void SvgPlot::band(const Range& range, std::string_view style, std::string_view label) {
  const double width = std::max(1.0, x(range.high) - x(range.low));
  body_ += svg_box(style, {x(range.low), kTop}, {width, options_.height - kBottom - kTop}, label) +
           svg_text("inside", {x(range.low) + 4, kTop - 5}, label);
}

void SvgPlot::rule(double value, std::string_view style, std::string_view label) {
  const bool near_end = x(value) > 0.75 * options_.width;
  fmt::format_to(std::back_inserter(body_),
                 "<line class=\"{0}\" x1=\"{1}\" x2=\"{1}\" y1=\"{2}\" y2=\"{3}\">{4}</line>\n",
                 style,
                 at(x(value)),
                 at(kTop),
                 at(options_.height - kBottom),
                 tooltip(label));
  body_ += svg_text(
      near_end ? "inside end" : "inside", {x(value) + (near_end ? -4 : 4), kTop - 5}, label);
}

std::string SvgPlot::path_of(std::span<const PlotPoint> points) const {
  std::string path;
  for (const PlotPoint& point : points) {
    path += at(x(point.x)) + ',' + at(y(point.y)) + ' ';
  }
  return path;
}

void SvgPlot::area(std::span<const PlotPoint> upper,
                   std::span<const PlotPoint> lower,
                   std::string_view style) {
  if (!upper.empty()) {
    const std::string back = path_of(std::vector(lower.rbegin(), lower.rend()));
    body_ += fmt::format("<path class=\"{}\" d=\"M{}{}Z\"/>\n", style, path_of(upper), back);
  }
}

void SvgPlot::envelope(std::span<const Bin<Envelope>> bins, std::string_view style) {
  std::vector<PlotPoint> upper;
  std::vector<PlotPoint> lower;
  for (const Bin<Envelope>& bin : bins) {
    upper.push_back({bin.middle(), bin.content.high});
    lower.push_back({bin.middle(), bin.content.low});
  }
  area(upper, lower, style);
}

void SvgPlot::means(std::span<const Bin<Envelope>> bins, std::string_view style) {
  std::vector<PlotPoint> points;
  for (const Bin<Envelope>& bin : bins) {
    points.push_back({bin.middle(), bin.mean()});
  }
  line(points, style);
}

void SvgPlot::line(std::span<const PlotPoint> points, std::string_view style) {
  if (points.size() == 1) {  // a line of one point would not be seen
    mark(points.front(), style, "");
    return;
  }
  body_ += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", style, path_of(points));
}

void SvgPlot::box(const Range& xs,
                  const Range& ys,
                  std::string_view style,
                  std::string_view label) {
  const double width = std::max(0.4, x(xs.high) - x(xs.low));
  const double height = std::max(0.0, y(ys.low) - y(ys.high));
  body_ += svg_box(style, {x(xs.low), y(ys.high)}, {width, height}, label);
}

void SvgPlot::mark(const PlotPoint& point, std::string_view style, std::string_view label) {
  const double cx = x(point.x);
  const double cy = y(point.y);
  const std::string shape =
      point.y > options_.y.high
          ? fmt::format("path class=\"{}\" d=\"M{},{} l4,7 h-8 Z\"", style, at(cx), at(cy - 2))
          : fmt::format("circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"3\"", style, at(cx), at(cy));
  body_ += fmt::format("<{}>{}</{}>\n", shape, tooltip(label), shape.substr(0, shape.find(' ')));
}

void SvgPlot::image(const Range& xs, const Range& ys, std::string_view url) {
  body_ += fmt::format(
      "<image href=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
      "preserveAspectRatio=\"none\"/>\n",
      html_escaped(url),
      at(x(xs.low)),
      at(y(ys.high)),
      at(x(xs.high) - x(xs.low)),
      at(y(ys.low) - y(ys.high)));
}

void SvgPlot::row_name(double value, std::string_view name) {
  body_ += svg_text("y", {options_.left - 8, y(value) + 4}, name);
}

void SvgPlot::note(const PlotPoint& point, std::string_view style, std::string_view text) {
  body_ += svg_text(style, {x(point.x), y(point.y) + 4}, text);
}

std::string SvgPlot::axes() const {
  std::string svg;
  const double right = options_.width - kRight;
  if (options_.y_label) {
    const int most = options_.height < 140 ? 3 : 4;
    for (const double tick : nice_ticks(options_.y, most, options_.y_ticks)) {
      svg += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>",
                         at(options_.left),
                         at(right),
                         at(y(tick))) +
             svg_text("y", {options_.left - 8, y(tick) + 4}, options_.y_label(tick));
      if (options_.labels_twice) {
        svg += svg_text("y-end", {right, y(tick) - 3}, options_.y_label(tick));
      }
    }
  }
  if (options_.x_label) {
    for (const double tick : nice_ticks(options_.x, options_.most_x_labels, options_.x_ticks)) {
      svg += svg_text("x", {x(tick), options_.height - kBottom + 16}, options_.x_label(tick));
    }
  }
  const PlotPoint below{(options_.left + right) / 2, options_.height - 5};
  return svg + svg_text("x", below, options_.x_name);
}

std::string SvgPlot::finish() && {
  return fmt::format(
      "<svg class=\"plot\" id=\"{0}-plot\" viewBox=\"0 0 {1} {2}\" role=\"img\" tabindex=\"0\" "
      "aria-labelledby=\"{0}-title {0}-about\">\n"
      "<title id=\"{0}-title\">{3}</title>\n<desc id=\"{0}-about\">{4}</desc>\n"
      "{5}{6}<line class=\"cursor\" y1=\"{7}\" y2=\"{8}\"/>\n</svg>\n",
      options_.id,
      options_.width,
      options_.height,
      html_escaped(options_.title),
      html_escaped(options_.description),
      axes(),
      body_,
      at(kTop),
      at(options_.height - kBottom));
}

}  // namespace qanat
