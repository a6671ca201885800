#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page/series_chart.h"

namespace qanat {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(SvgPlotTest, TicksAreRoundNumbers) {
  EXPECT_THAT(nice_ticks({.low = 0, .high = 10}, 4),
              ElementsAre(0, DoubleEq(2.5), DoubleEq(5), DoubleEq(7.5), DoubleEq(10)));
  EXPECT_THAT(nice_ticks({.low = 3, .high = 3}, 4), ElementsAre(3));
  EXPECT_THAT(from_zero(0.103).high, DoubleNear(0.15, 1e-12));
}

TEST(SvgPlotTest, TicksOfTimeAreThoseOfClocks) {
  EXPECT_THAT(nice_ticks({.low = 0, .high = 240}, 7, Ticks::time),
              ElementsAre(0, 60, 120, 180, 240));
  EXPECT_THAT(nice_ticks({.low = 0, .high = 50'000}, 7, Ticks::time),
              ElementsAre(0, 7200, 14'400, 21'600, 28'800, 36'000, 43'200));
  EXPECT_THAT(nice_ticks({.low = 0, .high = 0.4}, 4, Ticks::time),
              ElementsAre(0, DoubleEq(0.1), DoubleEq(0.2), DoubleNear(0.3, 1e-12), DoubleEq(0.4)));
}

TEST(SvgPlotTest, TicksOfBytesArePowersOfTwo) {
  EXPECT_THAT(from_zero(9.0 * (1 << 30), Ticks::bytes).high, 12.0 * (1LL << 30));
}

TEST(SvgPlotTest, TicksOfCountsAreWhole) {
  EXPECT_THAT(nice_ticks({.low = 0, .high = 3}, 7, Ticks::whole), ElementsAre(0, 1, 2, 3));
}

TEST(SvgPlotTest, ValuesOutsideLieOnTheEdge) {
  const SvgPlot plot({.id = "p", .x = {.low = 0, .high = 10}, .y = {.low = 0, .high = 1}});

  EXPECT_EQ(plot.x(20), plot.x(10));
  EXPECT_EQ(plot.y(-1), plot.y(0));
  EXPECT_LT(plot.y(1), plot.y(0)) << "up is more";
}

TEST(SeriesChartTest, ADashedLineIsInTheLegend) {
  EnvelopeSeries series;
  series.add(0, Envelope::of(1));
  series.add(1, Envelope::of(2));
  const auto label = [](double value) { return fmt::to_string(value); };

  const Figure figure =
      series_figure({.id = "x", .x = {.label = label}, .y_label = label, .limit = {{0, 4}}},
                    series,
                    Translator());

  EXPECT_THAT(render_figure(figure, Translator()), HasSubstr("<line class=\"limit\""));
}

TEST(SeriesChartTest, ALimitThatChangedIsDrawnAsItWas) {
  EnvelopeSeries series;
  for (int i = 0; i <= 4; ++i) {
    series.add(i, Envelope::of(1));
  }
  const auto label = [](double value) { return fmt::to_string(value); };
  const SvgPlot same({.id = "x",
                      .x = {.low = 0, .high = 4},
                      .y = {.low = 0, .high = 8},
                      .width = SeriesChart{}.width,
                      .height = SeriesChart{}.height,
                      .left = SeriesChart{}.left});
  const auto at = [&same](double x, double y) {
    const auto tenths = [](double value) { return std::round(10 * value) / 10; };
    return fmt::format("{:.6g},{:.6g}", tenths(same.x(x)), tenths(same.y(y)));
  };

  const Figure figure = series_figure({.id = "x",
                                       .x = {.label = label},
                                       .y_label = label,
                                       .y = Range{.low = 0, .high = 8},
                                       .limit = {{1, 8}, {2, 8}, {3, 4}}},
                                      series,
                                      Translator());

  EXPECT_THAT(figure.chart, HasSubstr("class=\"limit\""));
  EXPECT_THAT(figure.chart, HasSubstr(at(3, 8) + " " + at(3, 4)));
}

}  // namespace
}  // namespace qanat
