#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

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
std::vector<LegendEntry> phase_legend(const PhaseSums& sums, const Words& words) {
  std::vector<LegendEntry> legend;
  const std::vector<std::string> names = phase_names();
  const double total = std::accumulate(sums.values.begin(), sums.values.end(), 0.0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (sums.values[i] > 0.0005 * total) {
      legend.push_back({.style = style_of(names[i]), .name = words.say(names[i])});
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

void mark_steps(SvgPlot& plot, const RunView& run) {
  const RunMeasures& m = run.diagnosis.measures;
  const Words& w = run.words;
  if (m.warm_up.steps > 0 && run.trace.steps_before == 0 && !m.steady.empty()) {
    plot.band({.low = static_cast<double>(run.trace.steps.front().step),
               .high = static_cast<double>(m.steady.front().step)},
              "warm-up",
              w.say("warm-up"));
  }
  if (m.trend.trend == Trend::shift && m.trend.shift_at) {
    const std::int64_t step = m.steady[*m.trend.shift_at].step;
    plot.rule(static_cast<double>(step),
              "change",
              w.say(fmt::format("change of {:.1f} ms at step {}", 1000 * m.trend.change, step)));
  }
  for (const std::size_t at : m.spread.outliers) {
    const StepRecord& step = m.steady[at];
    plot.mark({static_cast<double>(step.step), m.seconds[at]},
              "outlier",
              w.say(fmt::format("step {}: {:.1f} ms", step.step, 1000 * m.seconds[at])));
  }
}

}  // namespace

std::function<std::string(double)> time_label(double longest, const Words& words) {
  return [longest, words](double value) {
    return longest < 60 ? words.tick(Seconds(value)) : words.clock(Seconds(value));
  };
}

std::string steps_of(double first, double last, const Words& words) {
  const std::string from = words.count(std::llround(first));
  return first == last ? from : from + "–" + words.count(std::llround(last));
}

std::optional<Figure> ledger_figure(const RunView& run) {
  const RunMeasures& m = run.diagnosis.measures;
  const Words& w = run.words;
  if (m.steady.empty()) {
    return std::nullopt;
  }
  Figure figure{
      .id = "ledger",
      .title = w.say("Where a step goes"),
      .about = w.say(fmt::format(
          "Mean of {} steps after the warm-up: {:.1f} ms.", m.steady.size(), 1000 * m.mean_step)),
      .columns = {w.say("part"), w.say("time"), w.say("share")}};
  const PhaseSums parts = to_sums(m.ledger);
  figure.legend = phase_legend(parts, w);
  SvgPlot plot({.id = figure.id,
                .title = figure.title,
                .description = figure.about,
                .x = {.low = 0, .high = std::max(m.mean_step, 1e-9)},
                .y = {.low = 0, .high = 1},
                .x_label = [&w](double value) { return w.tick(Seconds(value)); },
                .x_name = w.say("time of a step"),
                .height = 100,
                .left = 36});
  const std::vector<std::string> names = phase_names();
  double from = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Seconds part(parts.values[i]);
    const double to = from + part.count();
    if (part > Seconds{0}) {
      const std::string words = fmt::format(
          "{}: {} ({})", w.say(names[i]), w.milliseconds(part), w.percent(m.share(part)));
      plot.box({.low = from, .high = to}, {.low = 0, .high = 1}, style_of(names[i]), words);
      if (m.share(part) >= 0.07) {
        plot.note({(from + to) / 2, 0.5}, "on-bar", w.percent(m.share(part), 0));
      }
    }
    figure.rows.push_back(
        {.x = plot.x((from + to) / 2),
         .cells = {w.say(names[i]), w.milliseconds(part), w.percent(m.share(part))}});
    from = std::max(from, to);
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

std::optional<Figure> ledger_series_figure(const RunView& run) {
  const Words& w = run.words;
  const auto bins = run.history.phases.bins();
  if (bins.size() < 2) {
    return std::nullopt;
  }
  Figure figure{.id = "ledger-series",
                .title = w.say("The parts of a step over the run"),
                .about = w.say("Share of the time of the steps at each point, all parts stacked."),
                .columns = {w.say("steps")}};
  SvgPlot plot({.id = figure.id,
                .title = figure.title,
                .description = figure.about,
                .x = {.low = bins.front().first, .high = bins.back().last},
                .y = {.low = 0, .high = 1},
                .x_label = [&w](double value) { return w.count(std::llround(value)); },
                .y_label = [&w](double value) { return w.percent(value, 0); },
                .x_name = w.say("step"),
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
    figure.columns.push_back(w.say(names[i]));
  }
  for (const Bin<PhaseSums>& bin : joined_to(bins, kMaxStepRows)) {
    const auto& values = bin.content.values;
    const double total = std::accumulate(values.begin(), values.end(), 0.0);
    FigureRow row{.x = plot.x(bin.middle()), .cells = {steps_of(bin.first, bin.last, w)}};
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
  const Words& w = run.words;
  const auto bins = run.history.step_seconds.bins();
  if (bins.empty()) {
    return std::nullopt;
  }
  Figure figure{.id = "steps",
                .title = w.say("Time of the steps"),
                .about = w.say(fmt::format("{} steps, {} of them warm-up; {} took unusually long.",
                                           run.history.num_steps,
                                           m.warm_up.steps,
                                           m.spread.num_outliers)),
                .legend = {{"c-mean-fill", w.say("mean")},
                           {"c-range", w.say("shortest to longest")},
                           {"outlier", w.say("unusually long"), LegendShape::dot}},
                .columns = {w.say("steps"), w.say("mean"), w.say("shortest"), w.say("longest")}};
  SvgPlot plot({.id = figure.id,
                .title = figure.title,
                .description = figure.about,
                .x = {.low = bins.front().first, .high = bins.back().last},
                .y = from_zero(top_of(run)),
                .x_label = [&w](double value) { return w.count(std::llround(value)); },
                .y_label = [&w](double value) { return w.tick(Seconds(value)); },
                .x_name = w.say("step"),
                .x_ticks = Ticks::whole,
                .height = 240});
  if (m.trend.trend == Trend::shift && m.trend.shift_at) {
    figure.legend.push_back({"change", w.say("change of the step time"), LegendShape::line});
  }
  plot.envelope(bins, "c-range");
  plot.means(bins, "c-mean");
  mark_steps(plot, run);
  for (const Bin<Envelope>& bin : joined_to(bins, kMaxStepRows)) {
    figure.rows.push_back({.x = plot.x(bin.middle()),
                           .cells = {steps_of(bin.first, bin.last, w),
                                     w.milliseconds(Seconds(bin.mean())),
                                     w.milliseconds(Seconds(bin.content.low)),
                                     w.milliseconds(Seconds(bin.content.high))}});
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

std::optional<Figure> fold_figure(const RunView& run) {
  const std::optional<Rhythm>& rhythm = run.diagnosis.measures.periodicity.rhythm;
  const Words& w = run.words;
  if (!rhythm || rhythm->profile.empty()) {
    return std::nullopt;
  }
  Figure figure{
      .id = "fold",
      .title = w.say("The steps folded by their period"),
      .about = w.say(fmt::format("Every {} steps one takes {:.1f} ms more, at position {}.",
                                 rhythm->period,
                                 1000 * rhythm->excess_seconds,
                                 rhythm->phase)),
      .columns = {w.say("position"), w.say("mean")}};
  EnvelopeSeries profile;  // a long period has more positions than a page has room for
  for (std::size_t i = 0; i < rhythm->profile.size(); ++i) {
    profile.add(static_cast<double>(i), Envelope::of(rhythm->profile[i]));
  }
  SvgPlot plot({.id = figure.id,
                .title = figure.title,
                .description = figure.about,
                .x = {.low = -0.5, .high = static_cast<double>(rhythm->profile.size()) - 0.5},
                .y = from_zero(*std::ranges::max_element(rhythm->profile)),
                .x_label =
                    [&w](double value) {
                      return value == std::round(value) ? w.count(std::llround(value))
                                                        : std::string();
                    },
                .y_label = [&w](double value) { return w.tick(Seconds(value)); },
                .x_name = w.say("position in the period"),
                .x_ticks = Ticks::whole,
                .height = 180});
  for (const Bin<Envelope>& bin : profile.bins()) {
    const auto phase = static_cast<double>(rhythm->phase);
    const bool longest = bin.first <= phase && phase <= bin.last;
    plot.box({.low = bin.first - 0.4, .high = bin.last + 0.4},
             {.low = 0, .high = bin.content.high},
             longest ? "outlier" : "c-bar",
             w.milliseconds(Seconds(bin.content.high)));
  }
  for (const Bin<Envelope>& bin : joined_to(profile.bins(), kMaxStepRows)) {
    figure.rows.push_back(
        {.x = plot.x(bin.middle()),
         .cells = {steps_of(bin.first, bin.last, w), w.milliseconds(Seconds(bin.mean()))}});
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

Figure series_figure(const SeriesChart& chart, const EnvelopeSeries& series, const Words& words) {
  Figure figure{
      .id = chart.id,
      .title = chart.title,
      .about = chart.about,
      .columns = {chart.x_name, chart.value_name, words.say("least"), words.say("greatest")}};
  double highest = chart.limit.value_or(0);
  double lowest = 0;
  for (const Bin<Envelope>& bin : series.bins()) {
    highest = std::max(highest, bin.content.high);
    lowest = std::min(lowest, bin.content.low);
  }
  Range y = from_zero(highest, chart.y_ticks);
  y.low = lowest;  // losses may be negative
  SvgPlot plot({.id = chart.id,
                .title = chart.spoken.empty() ? chart.title : chart.spoken,
                .description = chart.about,
                .x = {.low = series.bins().front().first, .high = series.bins().back().last},
                .y = chart.top ? Range{.low = 0, .high = *chart.top} : y,
                .x_label = chart.x_label,
                .y_label = chart.y_label,
                .x_name = chart.x_name,
                .x_ticks = chart.x_ticks,
                .y_ticks = chart.y_ticks,
                .most_x_labels = chart.most_x_labels,
                .width = chart.width,
                .height = chart.height,
                .left = chart.left});
  plot.envelope(series.bins(), "c-range");
  plot.means(series.bins(), "c-mean");
  if (chart.limit) {
    const Range x{.low = series.bins().front().first, .high = series.bins().back().last};
    plot.line(std::vector<PlotPoint>{{x.low, *chart.limit}, {x.high, *chart.limit}}, "limit");
    figure.legend.push_back({"limit", words.say("limit"), LegendShape::line});
  }
  for (const Bin<Envelope>& bin : joined_to(series.bins(), kMaxStepRows)) {
    figure.rows.push_back({.x = plot.x(bin.middle()),
                           .cells = {chart.x_label(bin.first),
                                     chart.y_label(bin.mean()),
                                     chart.y_label(bin.content.low),
                                     chart.y_label(bin.content.high)}});
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

}  // namespace qanat
