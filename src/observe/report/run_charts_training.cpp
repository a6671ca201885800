#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "locale/messages/charts.h"
#include "page/series_chart.h"
#include "report/run_charts.h"

namespace qanat {
namespace {

void include(Range& range, double value) {
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

// Losses may be negative: the axis takes what there is, with a little air.
Range around(const EnvelopeSeries& series, const std::vector<ValidationPoint>& validations) {
  Range range{.low = series.bins().front().content.low, .high = series.bins().front().content.high};
  for (const Bin<Envelope>& bin : series.bins()) {
    include(range, bin.content.low);
    include(range, bin.content.high);
  }
  for (const ValidationPoint& point : validations) {
    include(range, point.loss.value_or(range.low));
  }
  const double air = 0.05 * std::max(range.high - range.low, 1e-9);
  return {.low = range.low >= 0 && range.low < 0.5 * range.high ? 0 : range.low - air,
          .high = range.high + air};
}

constexpr std::size_t kMaxDots = 60;  // more hide the curve below them: they become a line

std::vector<PlotPoint> validation_losses(const RunHistory& history) {
  std::vector<PlotPoint> points;
  for (const ValidationPoint& point : history.validations) {
    if (point.loss) {
      points.push_back({static_cast<double>(point.step), *point.loss});
    }
  }
  return points;
}

void mark_validations(SvgPlot& plot, std::span<const PlotPoint> points, const Translator& w) {
  if (points.size() > kMaxDots) {
    plot.line(points, "validation-line");
    return;
  }
  for (const PlotPoint& point : points) {
    plot.mark(point,
              "validation",
              w.tr(msg::chart_validation_at{.step = std::llround(point.x),
                                            .loss = plain(point.y, 4)}));
  }
}

std::optional<Figure> by_step(std::string id,
                              const Message& title,
                              const EnvelopeSeries& series,
                              const Translator& w) {
  return strip_figure(
      {.id = std::move(id),
       .title = w.tr(title),
       .x = step_axis(w),
       .value_name = w.tr(msg::chart_mean{}),
       .y_label = [&w](double value) { return w.digits(fmt::format("{:.3g}", value)); },
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
  const Translator& w = run.words;
  const RunHistory& history = run.history;
  if (history.loss.empty()) {
    return std::nullopt;
  }
  const auto bins = history.loss.bins();
  const std::vector<PlotPoint> validations = validation_losses(history);
  SeriesChart chart{.id = "loss",
                    .title = w.tr(msg::chart_loss{}),
                    .about = w.tr(msg::chart_loss_about{
                        .steps = std::llround(bins.back().last - bins.front().first) + 1,
                        .loss = plain(bins.back().mean(), 4)}),
                    .x = step_axis(w),
                    .value_name = w.tr(msg::chart_mean{}),
                    .y_label = [&w](double value) { return w.short_number(value, 4); },
                    .y = around(history.loss, history.validations),
                    .legend = {{"c-mean-fill", w.tr(msg::chart_training{})},
                               {"c-range", w.tr(msg::chart_least_to_greatest{})}},
                    .marks = [&](SvgPlot& plot) { mark_validations(plot, validations, w); },
                    .height = 240};
  if (!validations.empty()) {
    const bool is_line = validations.size() > kMaxDots;
    chart.legend.push_back({is_line ? "validation-line" : "validation",
                            w.tr(msg::chart_validation{}),
                            is_line ? LegendShape::line : LegendShape::dot});
  }
  return series_figure(chart, history.loss, w);
}

// On an axis of its own: it is neither the training loss nor as large.
std::optional<Figure> score_figure(const RunView& run) {
  const Translator& w = run.words;
  EnvelopeSeries scores;
  std::optional<ValidationPoint> best;
  for (const ValidationPoint& point : run.history.validations) {
    if (point.score) {
      scores.add(static_cast<double>(point.step), Envelope::of(*point.score));
      best = point.best ? point : best;
    }
  }
  if (scores.empty() || !best) {
    return std::nullopt;
  }
  return series_figure(
      {.id = "score",
       .title = w.tr(msg::chart_score{}),
       .about = w.tr(msg::chart_score_about{.best = plain(*best->score, 4), .step = best->step}),
       .x = step_axis(w),
       .value_name = w.tr(msg::chart_mean{}),
       .y_label = [&w](double value) { return w.short_number(value, 4); },
       .y = around(scores, {}),
       .legend = {{"c-mean-fill", w.tr(msg::chart_validation{})},
                  {"validation best", w.tr(msg::chart_best{}), LegendShape::dot}},
       .marks =
           [&](SvgPlot& plot) {
             plot.mark({static_cast<double>(best->step), *best->score},
                       "validation best",
                       w.tr(msg::chart_validation_at{.step = best->step,
                                                     .loss = plain(*best->score, 4)}));
           },
       .height = 180},
      scores,
      w);
}

std::vector<Figure> loss_part_figures(const RunView& run) {
  static constexpr std::array<std::pair<const char*, MessageId>, 11> kParts{
      {{"mel", msg::chart_loss_mel::id},
       {"refined", msg::chart_loss_refined::id},
       {"prior", msg::chart_loss_prior::id},
       {"forward_sum", msg::chart_loss_forward_sum::id},
       {"binarisation", msg::chart_loss_binarisation::id},
       {"duration", msg::chart_loss_duration::id},
       {"stft", msg::chart_loss_stft::id},
       {"magnitude", msg::chart_loss_magnitude::id},
       {"adversarial", msg::chart_loss_adversarial::id},
       {"feature", msg::chart_loss_feature::id},
       {"discriminator", msg::chart_loss_discriminator::id}}};
  std::vector<Figure> figures;
  for (const auto& [name, title] : kParts) {
    const auto found = run.history.loss_parts.find(name);
    if (found == run.history.loss_parts.end() || is_always_zero(found->second)) {
      continue;  // the model has no such part
    }
    if (auto figure =
            by_step(std::string("loss-") + name, Message{title}, found->second, run.words)) {
      figures.push_back(*std::move(figure));
    }
  }
  return figures;
}

std::optional<Figure> learning_rate_figure(const RunView& run) {
  return by_step("learning-rate", msg::chart_learning_rate{}, run.history.learning_rate, run.words);
}

std::optional<Figure> gradient_figure(const RunView& run) {
  return by_step("gradient", msg::chart_gradient_norm{}, run.history.gradient_norm, run.words);
}

}  // namespace qanat
