#include <algorithm>

#include <fmt/format.h>

#include "locale/messages/charts.h"
#include "page/series_chart.h"
#include "report/known_names.h"
#include "report/run_charts.h"

namespace qanat {
namespace {

struct PhasePart {
  std::string_view name;
  double seconds = 0;

  std::string style() const { return "c-" + std::string(name); }
  std::string in(const Translator& words) const { return words.said(in_words(name)); }
};

std::vector<PhasePart> parts_of(const StepPhases& phases) {
  std::vector<PhasePart> parts;
  visit_phases(phases, [&parts](std::string_view name, Seconds part) {
    parts.push_back({.name = name, .seconds = part.count()});
  });
  return parts;
}

double share_of(const StepPhases& phases, std::size_t part) {
  const double total = phases.total().count();
  return total > 0 ? parts_of(phases)[part].seconds / total : 0;
}

// Those that can be seen.
std::vector<LegendEntry> phase_legend(const StepPhases& phases, const Translator& words) {
  std::vector<LegendEntry> legend;
  for (const PhasePart& part : parts_of(phases)) {
    if (part.seconds > 0.0005 * phases.total().count()) {
      legend.push_back({.style = part.style(), .name = part.in(words)});
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
      .legend = phase_legend(m.breakdown, w),
      .columns = {w.tr(msg::chart_part{}), w.tr(msg::chart_time{}), w.tr(msg::chart_share{})}};
  SvgPlot plot(figure,
               {.x = {.low = 0, .high = std::max(m.mean_step, 1e-9)},
                .y = {.low = 0, .high = 1},
                .x_label = [&w](double value) { return w.tick(Seconds(value)); },
                .x_name = w.tr(msg::chart_step_time{}),
                .height = 100,
                .left = 36});
  double from = 0;
  for (const PhasePart& part : parts_of(m.breakdown)) {
    const Seconds took(part.seconds);
    const double to = from + part.seconds;
    const std::string time = w.milliseconds(took);
    const std::string share = w.percent(m.share(took));
    if (part.seconds > 0) {
      plot.box({.low = from, .high = to},
               {.low = 0, .high = 1},
               part.style(),
               fmt::format("{}: {} ({})", part.in(w), time, share));
      if (m.share(took) >= 0.07) {
        plot.note({(from + to) / 2, 0.5}, "on-bar", w.percent(m.share(took), 0));
      }
    }
    figure.rows.push_back({.x = plot.x((from + to) / 2), .cells = {part.in(w), time, share}});
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
                .columns = {w.tr(msg::chart_steps{})},
                .newest_last = true};
  SvgPlot plot(figure,
               {.x = {.low = bins.front().first, .high = bins.back().last},
                .y = {.low = 0, .high = 1},
                .x_label = step_label(w),
                .y_label = percent_label(w),
                .x_name = w.tr(msg::chart_step{}),
                .x_ticks = Ticks::whole});
  StepPhases all;
  std::vector<PlotPoint> lower;
  for (const Bin<StepPhases>& bin : bins) {
    lower.push_back({bin.middle(), 0});
    all += bin.content;
  }
  figure.legend = phase_legend(all, w);
  const std::vector<Bin<StepPhases>> rows = joined_to(bins, kMaxFigureRows);
  for (const Bin<StepPhases>& bin : rows) {
    figure.rows.push_back({.x = plot.x(bin.middle()), .cells = {range_label(bin, step_label(w))}});
  }
  const std::vector<PhasePart> parts = parts_of(all);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].seconds <= 0) {
      continue;
    }
    std::vector<PlotPoint> upper = lower;
    for (std::size_t at = 0; at < bins.size(); ++at) {
      upper[at].y += share_of(bins[at].content, i);
    }
    plot.area(upper, lower, parts[i].style());
    lower = std::move(upper);
    figure.columns.push_back(parts[i].in(w));
    for (std::size_t at = 0; at < rows.size(); ++at) {
      figure.rows[at].cells.push_back(w.percent(share_of(rows[at].content, i)));
    }
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
                    .x = step_axis(w),
                    .value_name = w.tr(msg::chart_mean{}),
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
                .x_label = step_label(w),
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
  for (const Bin<Envelope>& bin : joined_to(profile.bins(), kMaxFigureRows)) {
    figure.rows.push_back(
        {.x = plot.x(bin.middle()),
         .cells = {range_label(bin, step_label(w)), w.milliseconds(Seconds(bin.mean()))}});
  }
  figure.chart = std::move(plot).finish();
  return figure;
}

}  // namespace qanat
