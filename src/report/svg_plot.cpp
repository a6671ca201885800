#include "report/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "report/html.h"

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
  fmt::format_to(std::back_inserter(body_),
                 "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>\n"
                 "<text class=\"inside\" x=\"{}\" y=\"{}\">{}</text>\n",
                 style,
                 at(x(range.low)),
                 at(kTop),
                 at(std::max(1.0, x(range.high) - x(range.low))),
                 at(options_.height - kBottom - kTop),
                 tooltip(label),
                 at(x(range.low) + 4),
                 at(kTop - 5),
                 html_escaped(label));
}

void SvgPlot::rule(double value, std::string_view style, std::string_view label) {
  const bool near_end = x(value) > 0.75 * options_.width;
  fmt::format_to(std::back_inserter(body_),
                 "<line class=\"{}\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\">{}</line>\n"
                 "<text class=\"inside{}\" x=\"{}\" y=\"{}\">{}</text>\n",
                 style,
                 at(x(value)),
                 at(x(value)),
                 at(kTop),
                 at(options_.height - kBottom),
                 tooltip(label),
                 near_end ? " end" : "",
                 at(x(value) + (near_end ? -4 : 4)),
                 at(kTop - 5),
                 html_escaped(label));
}

void SvgPlot::area(std::span<const PlotPoint> upper,
                   std::span<const PlotPoint> lower,
                   std::string_view style) {
  if (upper.empty()) {
    return;
  }
  std::string path = "M";
  for (const PlotPoint& point : upper) {
    path += at(x(point.x)) + ',' + at(y(point.y)) + ' ';
  }
  for (const PlotPoint& point : std::vector(lower.rbegin(), lower.rend())) {
    path += at(x(point.x)) + ',' + at(y(point.y)) + ' ';
  }
  body_ += fmt::format("<path class=\"{}\" d=\"{}Z\"/>\n", style, path);
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
  std::string path;
  for (const PlotPoint& point : points) {
    path += at(x(point.x)) + ',' + at(y(point.y)) + ' ';
  }
  if (points.size() == 1) {  // a line of one point would not be seen
    mark(points.front(), style, "");
    return;
  }
  body_ += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", style, path);
}

void SvgPlot::box(const Range& xs,
                  const Range& ys,
                  std::string_view style,
                  std::string_view label) {
  const double width = x(xs.high) - x(xs.low);
  fmt::format_to(std::back_inserter(body_),
                 "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>\n",
                 style,
                 at(x(xs.low)),
                 at(y(ys.high)),
                 at(std::max(0.4, width)),
                 at(std::max(0.0, y(ys.low) - y(ys.high))),
                 tooltip(label));
}

void SvgPlot::mark(const PlotPoint& point, std::string_view style, std::string_view label) {
  const double cx = x(point.x);
  const double cy = y(point.y);
  if (point.y > options_.y.high) {
    body_ += fmt::format("<path class=\"{}\" d=\"M{},{} l4,7 h-8 Z\">{}</path>\n",
                         style,
                         at(cx),
                         at(cy - 2),
                         tooltip(label));
    return;
  }
  body_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"3\">{}</circle>\n",
                       style,
                       at(cx),
                       at(cy),
                       tooltip(label));
}

void SvgPlot::image(const Range& over, const Range& up, std::string_view url) {
  body_ += fmt::format(
      "<image href=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
      "preserveAspectRatio=\"none\"/>\n",
      html_escaped(url),
      at(x(over.low)),
      at(y(up.high)),
      at(x(over.high) - x(over.low)),
      at(y(up.low) - y(up.high)));
}

void SvgPlot::row_name(double value, std::string_view name) {
  body_ += fmt::format("<text class=\"y\" x=\"{}\" y=\"{}\">{}</text>\n",
                       at(options_.left - 8),
                       at(y(value) + 4),
                       html_escaped(name));
}

void SvgPlot::note(const PlotPoint& point, std::string_view style, std::string_view text) {
  body_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n",
                       style,
                       at(x(point.x)),
                       at(y(point.y) + 4),
                       html_escaped(text));
}

void SvgPlot::add_axes(std::string& svg) const {
  const std::string right = at(options_.width - kRight);
  const auto out = std::back_inserter(svg);
  if (options_.y_label) {
    const int most = options_.height < 140 ? 3 : 4;
    for (const double tick : nice_ticks(options_.y, most, options_.y_ticks)) {
      fmt::format_to(out,
                     "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>"
                     "<text class=\"y\" x=\"{}\" y=\"{}\">{}</text>\n",
                     at(options_.left),
                     right,
                     at(y(tick)),
                     at(y(tick)),
                     at(options_.left - 8),
                     at(y(tick) + 4),
                     html_escaped(options_.y_label(tick)));
    }
  }
  const std::vector<double> ticks =
      options_.x_label ? nice_ticks(options_.x, options_.most_x_labels, options_.x_ticks)
                       : std::vector<double>();
  for (const double tick : ticks) {
    fmt::format_to(out,
                   "<text class=\"x\" x=\"{}\" y=\"{}\">{}</text>\n",
                   at(x(tick)),
                   at(options_.height - kBottom + 16),
                   html_escaped(options_.x_label(tick)));
  }
  fmt::format_to(out,
                 "<text class=\"x\" x=\"{}\" y=\"{}\">{}</text>\n",
                 at((options_.left + options_.width - kRight) / 2),
                 at(options_.height - 5),
                 html_escaped(options_.x_name));
}

std::string SvgPlot::finish() && {
  std::string svg = fmt::format(
      "<svg class=\"plot\" id=\"{0}-plot\" viewBox=\"0 0 {1} {2}\" role=\"img\" tabindex=\"0\" "
      "aria-labelledby=\"{0}-title {0}-about\">\n"
      "<title id=\"{0}-title\">{3}</title>\n<desc id=\"{0}-about\">{4}</desc>\n",
      options_.id,
      options_.width,
      options_.height,
      html_escaped(options_.title),
      html_escaped(options_.description));
  add_axes(svg);
  svg += body_;
  return svg + "<line class=\"cursor\" y1=\"" + at(kTop) + "\" y2=\"" +
         at(options_.height - kBottom) + "\"/>\n</svg>\n";
}

}  // namespace qanat
