#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "locale/messages.h"
#include "report/known_names.h"
#include "report/run_charts.h"
#include "report/svg_plot.h"

namespace qanat {
namespace {

constexpr std::size_t kMaxStepRows = 80;  // of a table

std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  visit_phases(static_cast<const StepPhases&>(StepPhases{}),
               [&names](std::string_view name, Seconds) { names.emplace_back(name); });
  return names;
}

std::string style_of(const std::string& name) {
  return "c-" + name;
}

// Those that can be seen.
std::vector<LegendEntry> phase_legend(const PhaseSums& sums, const Translator& words) {
  std::vector<LegendEntry> legend;
  const std::vector<std::string> names = phase_names();
  const double total = std::accumulate(sums.values.begin(), sums.values.end(), 0.0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (sums.values[i] > 0.0005 * total) {
      legend.push_back({.style = style_of(names[i]), .name = words.said(in_words(names[i]))});
    }
  }
  return legend;
}

// The greatest value a chart has room for, so that one hiccup does not flatten everything else.
double top_of(const RunView& run) {
  double highest = 0;
  for (const Bin<Envelope>& bin : run.history.step_seconds.bins()) {
    highest = std::max(highest, bin.content.high);
  }
  const std::vector<double>& steady = run.diagnosis.measures.seconds;
  return steady.empty() ? highest : std::min(highest, 2.5 * quantile(steady, 0.99));
}

// "1,000" or "1,000–1,009".
template <typename Content>
std::string range_label(const Bin<Content>& bin, const std::function<std::string(double)>& label) {
  const std::string from = label(bin.first);
  const std::string to = label(bin.last);
  return from == to ? from : from + "–" + to;
}

void mark_steps(SvgPlot& plot, const RunView& run) {
  const RunMeasures& m = run.diagnosis.measures;
  const Translator& w = run.words;
  if (m.warm_up.steps > 0 && run.summary.steps_before == 0 && !m.steady.empty()) {
    plot.band({.low = static_cast<double>(run.summary.steps.front().step),
               .high = static_cast<double>(m.steady.front().step)},
              "warm-up",
              w.tr(msg::chart_warm_up{}));
  }
  if (m.trend.trend == Trend::shift && m.trend.shift_at) {
    const std::int64_t step = m.steady[*m.trend.shift_at].step;
    plot.rule(static_cast<double>(step),
              "change",
              w.tr(msg::chart_change_at{.change = in_seconds(m.trend.change, 1), .step = step}));
  }
  for (const std::size_t at : m.spread.outliers) {
    const StepRecord& step = m.steady[at];
    plot.mark({static_cast<double>(step.step), m.seconds[at]},
              "outlier",
              w.tr(msg::chart_step_took{.step = step.step, .took = in_seconds(m.seconds[at], 1)}));
  }
}

}  // namespace

std::function<std::string(double)> time_label(double longest, const Translator& words) {
  return [longest, words](double value) {
    return longest < 60 ? words.tick(Seconds(value)) : words.clock(Seconds(value));
  };
}

std::function<std::string(double)> step_label(const Translator& words) {
  return [words](double value) { return words.count(std::llround(value)); };
}

std::optional<Figure> breakdown_figure(const RunView& run) {
  const RunMeasures& m = run.diagnosis.measures;
  const Translator& w = run.words;
  if (m.steady.empty()) {
    return std::nullopt;
  }
  Figure figure{
      .id = "ledger",
      .title = w.tr(msg::chart_breakdown{}),
      .about = w.tr(
          msg::chart_breakdown_about{.steps = m.steady.size(), .mean = in_seconds(m.mean_step, 1)}),
      .columns = {w.tr(msg::chart_part{}), w.tr(msg::chart_time{}), w.tr(msg::chart_share{})}};
  const PhaseSums parts = to_sums(m.breakdown);
  figure.legend = phase_legend(parts, w);
  SvgPlot plot(figure,
               {.x = {.low = 0, .high = std::max(m.mean_step, 1e-9)},
                .y = {.low = 0, .high = 1},
                .x_label = [&w](double value) { return w.tick(Seconds(value)); },
                .x_name = w.tr(msg::chart_step_time{}),
                .height = 100,
                .left = 36});
  const std::vector<std::string> names = phase_names();
  double from = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Seconds part(parts.values[i]);
    const double to = from + part.count();
    if (part > Seconds{0}) {
      const std::string words = fmt::format("{}: {} ({})",
                                            w.said(in_words(names[i])),
                                            w.milliseconds(part),
                                            w.percent(m.share(part)));
      plot.box({.low = from, .high = to}, {.low = 0, .high = 1}, style_of(names[i]), words);
      if (m.share(part) >= 0.07) {
        plot.note({(from + to) / 2, 0.5}, "on-bar", w.percent(m.share(part), 0));
      }
    }
    figure.rows.push_back(
        {.x = plot.x((from + to) / 2),
         .cells = {w.said(in_words(names[i])), w.milliseconds(part), w.percent(m.share(part))}});
    from = std::max(from, to);
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

std::optional<Figure> breakdown_series_figure(const RunView& run) {
  const Translator& w = run.words;
  const auto bins = run.history.phases.bins();
  if (bins.size() < 2) {
    return std::nullopt;
  }
  Figure figure{.id = "ledger-series",
                .title = w.tr(msg::chart_breakdown_series{}),
                .about = w.tr(msg::chart_breakdown_series_about{}),
                .columns = {w.tr(msg::chart_steps{})}};
  SvgPlot plot(figure,
               {.x = {.low = bins.front().first, .high = bins.back().last},
                .y = {.low = 0, .high = 1},
                .x_label = step_label(w),
                .y_label = [&w](double value) { return w.percent(value, 0); },
                .x_name = w.tr(msg::chart_step{}),
                .x_ticks = Ticks::whole});
  const std::vector<std::string> names = phase_names();
  PhaseSums all;
  std::vector<PlotPoint> lower;
  for (const Bin<PhaseSums>& bin : bins) {
    lower.push_back({bin.middle(), 0});
    all += bin.content;
  }
  figure.legend = phase_legend(all, w);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (all.values[i] <= 0) {
      continue;
    }
    std::vector<PlotPoint> upper = lower;
    for (std::size_t at = 0; at < bins.size(); ++at) {
      const auto& values = bins[at].content.values;
      const double total = std::accumulate(values.begin(), values.end(), 0.0);
      upper[at].y += total > 0 ? values[i] / total : 0;
    }
    plot.area(upper, lower, style_of(names[i]));
    lower = std::move(upper);
    figure.columns.push_back(w.said(in_words(names[i])));
  }
  for (const Bin<PhaseSums>& bin : joined_to(bins, kMaxStepRows)) {
    const auto& values = bin.content.values;
    const double total = std::accumulate(values.begin(), values.end(), 0.0);
    FigureRow row{.x = plot.x(bin.middle()), .cells = {range_label(bin, step_label(w))}};
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (all.values[i] > 0) {
        row.cells.push_back(w.percent(total > 0 ? values[i] / total : 0));
      }
    }
    figure.rows.push_back(std::move(row));
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

std::optional<Figure> step_time_figure(const RunView& run) {
  const RunMeasures& m = run.diagnosis.measures;
  const Translator& w = run.words;
  if (run.history.step_seconds.bins().empty()) {
    return std::nullopt;
  }
  SeriesChart chart{.id = "steps",
                    .title = w.tr(msg::chart_step_times{}),
                    .about = w.tr(msg::chart_step_times_about{.steps = run.history.num_steps,
                                                              .warm_up = m.warm_up.steps,
                                                              .outliers = m.spread.num_outliers}),
                    .x_name = w.tr(msg::chart_step{}),
                    .value_name = w.tr(msg::chart_mean{}),
                    .x_label = step_label(w),
                    .y_label = [&w](double value) { return w.tick(Seconds(value)); },
                    .y = from_zero(top_of(run)),
                    .legend = {{"c-mean-fill", w.tr(msg::chart_mean{})},
                               {"c-range", w.tr(msg::chart_least_to_greatest{})},
                               {"outlier", w.tr(msg::chart_outlier{}), LegendShape::dot}},
                    .marks = [&run](SvgPlot& plot) { mark_steps(plot, run); },
                    .height = 240};
  if (m.trend.trend == Trend::shift && m.trend.shift_at) {
    chart.legend.push_back({"change", w.tr(msg::chart_change{}), LegendShape::line});
  }
  return series_figure(chart, run.history.step_seconds, w);
}

std::optional<Figure> fold_figure(const RunView& run) {
  const std::optional<PeriodicPattern>& pattern = run.diagnosis.measures.periodicity.pattern;
  const Translator& w = run.words;
  if (!pattern || pattern->profile.empty()) {
    return std::nullopt;
  }
  Figure figure{
      .id = "fold",
      .title = w.tr(msg::chart_fold{}),
      .about = w.tr(msg::chart_fold_about{.period = pattern->period,
                                          .excess = in_seconds(pattern->excess_seconds, 1),
                                          .position = pattern->phase}),
      .columns = {w.tr(msg::chart_position{}), w.tr(msg::chart_mean{})}};
  EnvelopeSeries profile;  // a long period has more positions than a page has room for
  for (std::size_t i = 0; i < pattern->profile.size(); ++i) {
    profile.add(static_cast<double>(i), Envelope::of(pattern->profile[i]));
  }
  SvgPlot plot(figure,
               {.x = {.low = -0.5, .high = static_cast<double>(pattern->profile.size()) - 0.5},
                .y = from_zero(*std::ranges::max_element(pattern->profile)),
                .x_label =
                    [&w](double value) {
                      return value == std::round(value) ? w.count(std::llround(value))
                                                        : std::string();
                    },
                .y_label = [&w](double value) { return w.tick(Seconds(value)); },
                .x_name = w.tr(msg::chart_position_in_period{}),
                .x_ticks = Ticks::whole,
                .height = 180});
  for (const Bin<Envelope>& bin : profile.bins()) {
    const auto phase = static_cast<double>(pattern->phase);
    const bool longest = bin.first <= phase && phase <= bin.last;
    plot.box({.low = bin.first - 0.4, .high = bin.last + 0.4},
             {.low = 0, .high = bin.content.high},
             longest ? "outlier" : "c-bar",
             w.milliseconds(Seconds(bin.content.high)));
  }
  for (const Bin<Envelope>& bin : joined_to(profile.bins(), kMaxStepRows)) {
    figure.rows.push_back(
        {.x = plot.x(bin.middle()),
         .cells = {range_label(bin, step_label(w)), w.milliseconds(Seconds(bin.mean()))}});
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

Figure series_figure(const SeriesChart& chart,
                     const EnvelopeSeries& series,
                     const Translator& words) {
  const auto bins = series.bins();
  Figure figure{.id = chart.id,
                .title = chart.title,
                .about = chart.about,
                .legend = chart.legend,
                .columns = {chart.x_name,
                            chart.value_name,
                            words.tr(msg::chart_least{}),
                            words.tr(msg::chart_greatest{})}};
  double highest = chart.limit.value_or(0);
  double lowest = 0;
  for (const Bin<Envelope>& bin : bins) {
    highest = std::max(highest, bin.content.high);
    lowest = std::min(lowest, bin.content.low);
  }
  Range y = from_zero(highest, chart.y_ticks);
  y.low = lowest;  // losses may be negative
  const Range x{.low = bins.front().first, .high = bins.back().last};
  SvgPlot plot(figure,
               {.title = chart.spoken,
                .x = x,
                .y = chart.y.value_or(y),
                .x_label = chart.x_label,
                .y_label = chart.y_label,
                .x_name = chart.x_name,
                .x_ticks = chart.x_ticks,
                .y_ticks = chart.y_ticks,
                .most_x_labels = chart.most_x_labels,
                .width = chart.width,
                .height = chart.height,
                .left = chart.left});
  plot.envelope(bins, "c-range");
  plot.means(bins, "c-mean");
  if (chart.limit) {
    plot.line(std::vector<PlotPoint>{{x.low, *chart.limit}, {x.high, *chart.limit}}, "limit");
    figure.legend.push_back({"limit", words.tr(msg::chart_limit{}), LegendShape::line});
  }
  if (chart.marks) {
    chart.marks(plot);
  }
  for (const Bin<Envelope>& bin : joined_to(bins, kMaxStepRows)) {
    figure.rows.push_back({.x = plot.x(bin.middle()),
                           .cells = {range_label(bin, chart.x_label),
                                     chart.y_label(bin.mean()),
                                     chart.y_label(bin.content.low),
                                     chart.y_label(bin.content.high)}});
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

}  // namespace qanat
