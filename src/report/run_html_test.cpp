#include "report/run_html.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run_page_sample.h"
#include "report/svg_plot.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string sample_page(Language language = Language::en) {
  const RunRecord record = sample_record();
  const Diagnosis diagnosis = diagnose_run(record.summary);
  return render_html({.summary = record.summary,
                      .history = record.history,
                      .diagnosis = diagnosis,
                      .words = Translator(language)});
}

Figure figure_of(std::optional<Figure> (*make)(const RunView&)) {
  const RunRecord record = sample_record();
  const Diagnosis diagnosis = diagnose_run(record.summary);
  return make({.summary = record.summary, .history = record.history, .diagnosis = diagnosis})
      .value();
}

TEST(BinnedSeriesTest, KeepsTheExtremesOfAnyNumberOfValues) {
  EnvelopeSeries series;
  for (int i = 0; i < 100'003; ++i) {
    series.add(i, Envelope::of(i == 54'321 ? 99.0 : 1.0));
  }

  std::int64_t count = 0;
  double high = 0;
  for (const Bin<Envelope>& bin : series.bins()) {
    count += bin.count;
    high = std::max(high, bin.content.high);
  }
  EXPECT_LE(series.bins().size(), EnvelopeSeries::kMaxBins);
  EXPECT_GT(series.bins().size(), EnvelopeSeries::kMaxBins / 3);
  EXPECT_EQ(count, 100'003);
  EXPECT_EQ(high, 99.0);
  EXPECT_EQ(series.bins().front().first, 0);
  EXPECT_EQ(series.bins().back().last, 100'002);
}

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

TEST(RunHtmlTest, TheVerdictComesFirst) {
  const std::string page = sample_page();

  EXPECT_LT(page.find("INPUT-BOUND"), page.find("<h2 id=\"findings-heading\">"));
  EXPECT_LT(page.find("<h2 id=\"findings-heading\">"), page.find("Where a step goes"));
  EXPECT_THAT(page, HasSubstr("data-copy=\"--num-workers 2\""));
  EXPECT_THAT(page, HasSubstr("class=\"gain\""));
}

TEST(RunHtmlTest, HasEveryChart) {
  const std::string page = sample_page();

  for (const char* id : {"ledger",
                         "ledger-series",
                         "steps",
                         "fold",
                         "queue",
                         "occupancy",
                         "workers",
                         "slots",
                         "device-model",
                         "lengths",
                         "sweep",
                         "loss",
                         "learning-rate",
                         "gradient"}) {
    EXPECT_THAT(page, HasSubstr(fmt::format("id=\"{}-plot\"", id)));
    EXPECT_THAT(page, HasSubstr(fmt::format("<title id=\"{}-title\">", id)));
    EXPECT_THAT(page, HasSubstr(fmt::format("<desc id=\"{}-about\">", id)));
    EXPECT_THAT(page, HasSubstr(fmt::format("<table id=\"{}-table\">", id)));
  }
}

TEST(RunHtmlTest, TheLossAndItsPartsComeBeforeTheFindings) {
  const std::string page = sample_page();

  EXPECT_LT(page.find("id=\"loss-plot\""), page.find("id=\"loss-mel-plot\""));
  EXPECT_LT(page.find("id=\"loss-mel-plot\""), page.find("id=\"loss-duration-plot\""));
  EXPECT_LT(page.find("id=\"loss-duration-plot\""), page.find("<h2 id=\"findings-heading\">"));
  EXPECT_THAT(page, Not(HasSubstr("id=\"loss-prior-plot\""))) << "always zero: no such part";
}

TEST(RunHtmlTest, TheSlotsAreFolded) {
  const std::string page = sample_page();
  const std::size_t figure = page.find("<figure id=\"slots-figure\">");

  EXPECT_LT(page.find("<details class=\"folded\">", figure), page.find("id=\"slots-plot\""));
  EXPECT_EQ(page.find("<figcaption>", figure),
            page.find("<figcaption>", page.find("</figure>", figure)));
}

TEST(RunHtmlTest, SentencesAreHeardAndSeenWithTheirStep) {
  RunRecord record = sample_record();
  record.add(entry_of({{"kind", "render"},
                       {"t", 20.0},
                       {"step", 100},
                       {"folder", "/anywhere/renders/step-000000100"},
                       {"sentences", {{{"text", "Water <b>comes</b>."}, {"seconds", 1.5}}}},
                       {"axis", {{{"hz", 0.0}, {"at", 0.0}}, {{"hz", 4000.0}, {"at", 0.75}}}}}));
  const Diagnosis diagnosis = diagnose_run(record.summary);
  RunView view{.summary = record.summary, .history = record.history, .diagnosis = diagnosis};

  EXPECT_EQ(renders_html(view), "") << "a page that is nowhere links to nothing";
  view.files = files_beside("/data/my run/journal.jsonl", "/data/pages/report.html");
  EXPECT_THAT(render_html(view),
              AllOf(HasSubstr("src=\"../my%20run/renders/step-000000100/sentence-1.wav\""),
                    HasSubstr("href=\"../my%20run/renders/step-000000100/sentence-1.png\""),
                    HasSubstr("Water &lt;b&gt;comes&lt;/b&gt;.</strong> step 100, 1.5 s"),
                    HasSubstr(">4 kHz</text>"),
                    HasSubstr("img-src 'self'; media-src 'self'")));
}

TEST(RunHtmlTest, APageInTheFolderOfItsRunNeedsNoWay) {
  EXPECT_EQ(files_beside("run/journal.jsonl", "run/report.html").prefix, "");
  EXPECT_EQ(files_beside("run/journal.jsonl", "report.html").prefix, "run/");
}

TEST(RunHtmlTest, ASweepAloneIsAPage) {
  RunRecord record;
  record.history.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  record.history.add(entry_of({{"kind", "sweep"},
                               {"t", 1.0},
                               {"cells", {{{"batch", 8}, {"workers", 1}, {"rate", 50.0}}}}}));
  const Diagnosis diagnosis = diagnose_run(record.summary);

  const std::string page = render_html({.summary = record.summary,
                                        .history = record.history,
                                        .diagnosis = diagnosis,
                                        .words = Translator()});

  EXPECT_THAT(page, HasSubstr("id=\"sweep-plot\""));
  EXPECT_THAT(page, Not(HasSubstr("class=\"verdict")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"checks\"")));
}

TEST(RunHtmlTest, WhatAJournalHoldsIsEscaped) {
  EXPECT_THAT(sample_page(),
              AllOf(Not(HasSubstr("<script>alert")),
                    Not(HasSubstr("<b>slow")),
                    HasSubstr("&lt;script&gt;alert(1)"),
                    HasSubstr("&lt;b&gt;slow")));
}

TEST(RunHtmlTest, TheDateIsForPeople) {
  EXPECT_THAT(sample_page(), HasSubstr("started 2024-05-01 10:00 UTC"));
  EXPECT_THAT(sample_page(Language::fa), HasSubstr("۲۰۲۴-۰۵-۰۱ ۱۰:۰۰"));
}

TEST(RunHtmlTest, LoadsNothing) {
  const std::string page = sample_page();

  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("://")), Not(HasSubstr("src=")), Not(HasSubstr("url("))));
  EXPECT_THAT(page, Not(HasSubstr("style=\""))) << "the policy would refuse it";
}

TEST(RunHtmlTest, PersianRunsFromRightToLeft) {
  const std::string page = sample_page(Language::fa);

  EXPECT_THAT(page, HasSubstr("<html lang=\"fa\" dir=\"rtl\">"));
  EXPECT_THAT(page, HasSubstr("<code dir=\"ltr\">--num-workers 2</code>"));
  EXPECT_THAT(page, HasSubstr("۲۰۰"));
}

TEST(RunChartsTest, TheBreakdownShowsTheMeanParts) {
  const Figure figure = figure_of(breakdown_figure);

  EXPECT_THAT(figure.rows[0].cells[0], "wait");
  EXPECT_THAT(figure.rows[2].cells, ElementsAre("forward", "30.0 ms", testing::EndsWith("%")));
}

TEST(RunChartsTest, TheStepTimesKeepTheLongestStep) {
  const Figure figure = figure_of(step_time_figure);

  // 200 steps in 80 rows of at most 3: step 150 is in the row from 150 to 152.
  EXPECT_THAT(figure.rows.at(50).cells, ElementsAre("150–152", testing::_, "100 ms", "1 s"));
  EXPECT_THAT(figure.chart, HasSubstr("step 150: 1.0 s"));
  EXPECT_THAT(figure.chart, HasSubstr("class=\"outlier\""));
}

TEST(RunChartsTest, TheLineGoesThroughTheValues) {
  const RunRecord record = sample_record();
  const SvgPlot same({.id = "x", .x = {.low = 0, .high = 199}, .y = {.low = 0, .high = 1}});
  SvgPlot plot({.id = "x", .x = {.low = 0, .high = 199}, .y = {.low = 0, .high = 1}});
  plot.means(record.history.step_seconds.bins(), "c-mean");

  // The first step takes 0.1 s: a tenth of the way up.
  const std::string first = fmt::format("points=\"{:.0f},{:.1f} ", same.x(0), same.y(0.1));
  EXPECT_THAT(std::move(plot).finish(), HasSubstr(first));
}

TEST(RunChartsTest, EverySignOfTheLossIsInItsLegend) {
  const std::string html = render_figure(figure_of(loss_figure), Translator());

  EXPECT_THAT(
      html, HasSubstr("<circle class=\"validation\" cx=\"6\" cy=\"6\" r=\"4\"/></svg>validation"));
  EXPECT_THAT(html,
              HasSubstr("<circle class=\"validation best\" cx=\"6\" cy=\"6\" r=\"4\"/></svg>best"));
}

TEST(RunChartsTest, ADashedLineIsInTheLegend) {
  EnvelopeSeries series;
  series.add(0, Envelope::of(1));
  series.add(1, Envelope::of(2));
  const auto label = [](double value) { return fmt::to_string(value); };

  const Figure figure = series_figure({.id = "x",
                                       .title = "",
                                       .about = "",
                                       .x_name = "",
                                       .value_name = "",
                                       .x_label = label,
                                       .y_label = label,
                                       .limit = 4.0},
                                      series,
                                      Translator());

  EXPECT_THAT(render_figure(figure, Translator()), HasSubstr("<line class=\"limit\""));
}

TEST(RunChartsTest, OneWorkerIsNotSeveral) {
  EXPECT_EQ(figure_of(workers_figure).about, "1 worker was switched on at the end.");
}

TEST(RunChartsTest, ThePeriodIsFolded) {
  const Figure figure = figure_of(fold_figure);

  EXPECT_THAT(figure.about, HasSubstr("Every 10 steps"));
  EXPECT_THAT(figure.about, HasSubstr("at position 3"));
  EXPECT_EQ(figure.rows.size(), 10U);
}

TEST(RunChartsTest, PaddingIsCountedByLength) {
  const Figure figure = figure_of(length_figure);

  EXPECT_THAT(figure.rows.at(0).cells, ElementsAre("400", "67", "101,840", "5.0 %"));
}

TEST(RunChartsTest, TheRecommendedCellOfTheSweepIsFramed) {
  const Figure figure = figure_of(sweep_figure);

  EXPECT_THAT(figure.chart, HasSubstr("heat h9 chosen"));
  EXPECT_THAT(figure.chart, Not(HasSubstr("h5 chosen")));
  EXPECT_THAT(figure.rows.at(1).cells, ElementsAre("8", "2", "100.0"));
}

TEST(RunHistoryTest, ANewSessionForgetsTimesAndKeepsWhatWasLearnt) {
  RunHistory history;
  for (const nlohmann::json& line : sample_journal(50)) {
    history.add(entry_of(line));
  }
  history.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  history.add({.at = Seconds{0.1}, .event = sample_step(50)});

  EXPECT_EQ(history.sessions, 2);
  EXPECT_EQ(history.num_steps, 1);
  EXPECT_EQ(history.step_seconds.bins().size(), 1U);
  EXPECT_EQ(history.loss.bins().size(), 51U);
}

TEST(RunHistoryTest, TrainingFromScratchForgetsWhatWasLearnt) {
  RunHistory history;
  for (const nlohmann::json& line : sample_journal(50)) {
    history.add(entry_of(line));
  }
  history.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  history.add({.at = Seconds{0.1}, .event = sample_step(0)});

  EXPECT_EQ(history.loss.bins().size(), 1U);
  EXPECT_TRUE(history.validations.empty());
}

TEST(RunHistoryTest, TheFirstRenderAndTheNewestAreKept) {
  RunHistory history;
  for (int step = 1; step <= 20; ++step) {
    history.add(entry_of({{"kind", "render"},
                          {"t", 1.0},
                          {"step", step},
                          {"folder", fmt::format("renders/step-{:09}", step)},
                          {"sentences", {{{"text", "a"}, {"seconds", 1.0}}}}}));
  }
  history.add(entry_of({{"kind", "render"},
                        {"t", 1.0},
                        {"step", 21},
                        {"folder", "renders/..\"><script>"},
                        {"sentences", nlohmann::json::array()}}));

  ASSERT_EQ(history.renders.size(), RunHistory::kMaxRenders);
  EXPECT_EQ(history.renders.front().step, 1);
  EXPECT_EQ(history.renders.back().step, 20) << "the last one is no folder of ours";
}

TEST(RunHistoryTest, LengthsBeyondTheRoomJoinTheirNeighbours) {
  RunHistory history;
  history.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  for (int i = 0; i < 500; ++i) {
    StepRecord step = sample_step(i);
    step.padded_frames = 100 + i;
    history.add({.at = Seconds(i), .event = step});
  }

  std::int64_t batches = 0;
  for (const auto& [length, bin] : history.lengths) {
    batches += bin.batches;
  }
  EXPECT_LE(history.lengths.size(), RunHistory::kMaxLengths);
  EXPECT_EQ(batches, 500);
}

TEST(RunHistoryTest, GpusKeepTheirNamesAndClocks) {
  RunHistory history;
  history.add(entry_of(
      {{"kind", "devices"},
       {"t", 0.0},
       {"setup",
        {{"driver", "1"}, {"gpus", {{{"name", "RTX"}}}}, {"pairs", nlohmann::json::array()}}}}));
  history.add(entry_of(
      {{"kind", "devices"},
       {"t", 1.0},
       {"samples", {{{"kernels_resident", 0.5}, {"clock", 2e9}, {"memory_used", nullptr}}}}}));

  const DeviceHistory& gpu = history.devices.at("GPU 0 RTX");
  EXPECT_EQ(gpu.clock.bins().front().mean(), 2e9);
  EXPECT_EQ(gpu.busy.bins().front().mean(), 0.5);
  EXPECT_TRUE(gpu.memory.empty()) << "unknown is not zero";
}

TEST(RunHistoryTest, BusyTimeOfDevicesBecomesShares) {
  RunHistory history;
  for (const double busy : {0.0, 0.5, 1.5}) {
    PipelineStats stats;
    stats.devices = {{.name = "virtual:0", .busy = Seconds{busy / 2}, .memory = Bytes{1000}}};
    history.add({.at = Seconds{1 + busy}, .event = stats});
  }

  const DeviceHistory& device = history.devices.at("virtual:0");
  ASSERT_EQ(device.busy.bins().size(), 2U);
  EXPECT_THAT(device.busy.bins()[1].mean(), DoubleNear(0.5, 1e-9));
  EXPECT_EQ(device.memory.bins()[0].mean(), 1000);
}

}  // namespace
}  // namespace qanat
