#include "report/run_html.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/ranks_testing.h"
#include "history/run_sample.h"
#include "page/svg_plot.h"
#include "report/known_names.h"
#include "report/run_json.h"
#include "report/run_text.h"

namespace qanat {
namespace {

using testing::AllOf;
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

TEST(RunHtmlTest, TheVerdictComesFirst) {
  const std::string page = sample_page();

  EXPECT_LT(page.find("INPUT-BOUND"), page.find("<h2 id=\"findings-heading\">"));
  EXPECT_LT(page.find("<h2 id=\"findings-heading\">"), page.find("Step time breakdown"));
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
  record.add(entry_of(
      {{"kind", "render"},
       {"t", 20.0},
       {"step", 100},
       {"folder", "/anywhere/renders/step-000000100"},
       {"sentences",
        {{{"text", "Water <b>comes</b>."},
          {"seconds", 1.5},
          {"symbols", {{{"symbol", ""}, {"end", 0.25}}, {{"symbol", "w"}, {"end", 1.5}}}}}}},
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
                    HasSubstr("<rect class=\"symbol odd\""),
                    HasSubstr("<title>w 1250.0 ms</title>"),
                    HasSubstr(">w</text>"),
                    HasSubstr("img-src 'self'; media-src 'self'")));
}

TEST(RunHtmlTest, ARecordingIsHeardBesideWhatTheVocoderMadeOfIt) {
  RunRecord record = sample_record();
  const auto render = [&](int step, const std::string& recording) {
    record.add(
        entry_of({{"kind", "render"},
                  {"t", 20.0},
                  {"step", step},
                  {"folder", fmt::format("renders/step-{:09}", step)},
                  {"vocoder", "vocos"},
                  {"sentences", {{{"text", "clip"}, {"seconds", 1.5}, {"recording", recording}}}},
                  {"axis", {{{"hz", 0.0}, {"at", 0.0}}}}}));
  };
  render(100, "recording-0123456789abcdef.wav");
  render(200, "recording-../../../secret.wav");
  const Diagnosis diagnosis = diagnose_run(record.summary);
  RunView view{.summary = record.summary, .history = record.history, .diagnosis = diagnosis};
  view.files = files_beside("run/journal.jsonl", "run/report.html");

  const std::string page = renders_html(view);
  view.words = Translator(Language::fa);

  EXPECT_THAT(page,
              HasSubstr("recording</span>\n<audio controls preload=\"metadata\" "
                        "src=\"renders/recording-0123456789abcdef.wav\">"));
  EXPECT_THAT(page, HasSubstr("spoken by vocos</span>"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
  EXPECT_THAT(renders_html(view), AllOf(HasSubstr("ضبط‌شده</span>"), HasSubstr("با صدای")));
}

TEST(RunHtmlTest, SaysWhatWasTrained) {
  RunRecord record = sample_record();
  record.summary.config = {{"training", {{"task", "vocoder"}}}};
  const Diagnosis diagnosis = diagnose_run(record.summary);
  const auto page = [&](Language language) {
    return render_html({.summary = record.summary,
                        .history = record.history,
                        .diagnosis = diagnosis,
                        .words = Translator(language)});
  };

  EXPECT_THAT(page(Language::en), HasSubstr("<dt>task</dt><dd>vocoder</dd>"));
  EXPECT_THAT(page(Language::fa), HasSubstr("<dt>نوع آموزش</dt><dd>vocoder</dd>"));
  EXPECT_EQ(to_json(diagnosis).at("task"), "vocoder");
  EXPECT_THAT(render_text(diagnosis), HasSubstr("\nTASK  vocoder\n"));
}

TEST(RunHtmlTest, ARunThatBrokeOffIsCalledSo) {
  RunRecord record = sample_record();
  const auto page = [&](const char* ending, Language language) {
    record.summary.ending = ending;
    return render_html({.summary = record.summary,
                        .history = record.history,
                        .diagnosis = diagnose_run(record.summary),
                        .words = Translator(language)});
  };

  EXPECT_THAT(page("failed", Language::en), HasSubstr("<dd>ended: failed</dd>"));
  EXPECT_THAT(page("silent", Language::en), HasSubstr("<dd>ended: killed"));
  EXPECT_THAT(page("silent", Language::fa), HasSubstr("کشته شده"));
  EXPECT_THAT(page("completed", Language::en), Not(HasSubstr("ended: ")));
}

TEST(RunHtmlTest, AnUnknownTaskIsNotNamed) {
  RunRecord record = sample_record();
  record.summary.config = {{"training", "nonsense"}};

  const Diagnosis diagnosis = diagnose_run(record.summary);

  EXPECT_TRUE(to_json(diagnosis).at("task").is_null());
  EXPECT_THAT(render_text(diagnosis), Not(HasSubstr("TASK")));
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
  EXPECT_THAT(page,
              HasSubstr("<code dir=\"ltr\"><span class=\"flag\">--num-workers</span> 2</code>"));
  EXPECT_THAT(page, HasSubstr("۲۰۰"));
}

TEST(RunChartsTest, TheBreakdownShowsTheMeanParts) {
  const Figure figure = figure_of(breakdown_figure);

  EXPECT_THAT(figure.rows[0].cells[0], "data wait");
  EXPECT_THAT(figure.rows[3].cells, ElementsAre("forward", "30.0 ms", testing::EndsWith("%")));
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
}

// A long run has hundreds: as dots they would hide the curve of the training below them.
TEST(RunChartsTest, ManyValidationsAreALine) {
  RunRecord record = sample_record();
  for (int i = 0; i < 100; ++i) {
    record.add(entry_of({{"kind", "validation"},
                         {"t", 30.0 + i},
                         {"step", 200 + i},
                         {"loss", 1.5},
                         {"score", 1.5},
                         {"best", false}}));
  }
  const Diagnosis diagnosis = diagnose_run(record.summary);
  const RunView view{.summary = record.summary, .history = record.history, .diagnosis = diagnosis};
  const Figure figure = loss_figure(view).value();

  EXPECT_THAT(figure.chart, HasSubstr("<polyline class=\"validation-line\""));
  EXPECT_THAT(figure.chart, Not(HasSubstr("class=\"validation\"")));
  EXPECT_EQ(figure.legend.back().shape, LegendShape::line);
}

TEST(RunChartsTest, WhatDecidesWhichIsBestIsDrawn) {
  const Figure figure = figure_of(score_figure);

  EXPECT_EQ(figure.about,
            "Decides which checkpoint is the best; smaller is better. Best: 0.7500 at step 100.");
  EXPECT_THAT(figure.rows.back().cells, ElementsAre("200", "0.9", "0.9", "0.9"));
  EXPECT_THAT(render_figure(figure, Translator()),
              HasSubstr("<circle class=\"validation best\" cx=\"6\" cy=\"6\" r=\"4\"/></svg>best"));
}

// Distances of a vocoder are far below its losses.
TEST(RunChartsTest, AVocodersValidationsHaveAnAxisOfTheirOwn) {
  RunRecord record;
  record.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  for (int i = 0; i < 20; ++i) {
    StepRecord step = sample_step(i);
    step.losses = {.total = 60.0 - i, .mel = 1, .stft = 2};
    record.add({.at = Seconds{0.1 * i}, .event = step});
  }
  record.add(entry_of({{"kind", "validation"},
                       {"t", 3.0},
                       {"step", 20},
                       {"loss", 1.5},
                       {"score", 1.5},
                       {"best", true},
                       {"mel", 0.5},
                       {"stft", 1.0}}));
  const Diagnosis diagnosis = diagnose_run(record.summary);
  const RunView view{.summary = record.summary, .history = record.history, .diagnosis = diagnosis};

  EXPECT_THAT(loss_figure(view).value().chart, Not(HasSubstr("class=\"validation")));
  EXPECT_THAT(score_figure(view).value().chart, HasSubstr("validation at step 20: 1.5000"));
}

TEST(RunChartsTest, TheNewestStepsAreWhatANarrowScreenShowsFirst) {
  EXPECT_THAT(render_figure(figure_of(loss_figure), Translator()),
              AllOf(HasSubstr("class=\"scroll plots newest\""), HasSubstr("class=\"y-end\"")));
  EXPECT_THAT(render_figure(figure_of(breakdown_figure), Translator()), Not(HasSubstr("newest")));
}

TEST(RunHtmlTest, ARunIsCalledByItsName) {
  EXPECT_THAT(sample_page(),
              AllOf(HasSubstr("<title>mary &amp; ali</title>"),
                    HasSubstr("<h1><bdi>mary &amp; ali</bdi></h1>"),
                    HasSubstr("Training run on virtual:1, started 2024-05-01 10:00 UTC")));
  RunRecord record = sample_record();
  EXPECT_THAT(render_text(diagnose_run(record.summary)), HasSubstr("\nRUN  mary & ali\n"));
  EXPECT_EQ(to_json(diagnose_run(record.summary)).at("name"), "mary & ali");
  record.history.header.name.reset();
  EXPECT_EQ(run_title(record.history, Translator()), "Training run on virtual:1");
}

TEST(RunHtmlTest, NoTileIsAloneInItsRow) {
  EXPECT_THAT(sample_page(), HasSubstr("<dl class=\"tiles by-4\">")) << "seven";
}

TEST(RunChartsTest, TheLimitOfReadyBatchesIsDrawnAsItWas) {
  const RunRecord record = sample_record();
  RunHistory history;
  PipelineStats stats = sample_pipeline(3);
  for (int i = 0; i < 4; ++i) {
    stats.ready.capacity = i < 2 ? 8 : 16;
    history.add({.at = Seconds(i), .event = stats});
  }

  const Diagnosis diagnosis = diagnose_run(record.summary);
  const std::optional<Figure> figure =
      queue_figure({.summary = record.summary, .history = history, .diagnosis = diagnosis});

  ASSERT_TRUE(figure.has_value());
  const std::string line = figure->chart.substr(figure->chart.find("class=\"limit\" points=\""));
  EXPECT_EQ(std::ranges::count(line.substr(0, line.find('>')), ','), 4) << "points: " << line;
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

TEST(RunHtmlTest, EveryPartOfAStepHasAWordAndAColour) {
  const std::string page = sample_page();

  for (const StepPart& part : kStepParts) {
    EXPECT_TRUE(std::holds_alternative<Message>(in_words(part.name).value())) << part.name;
    EXPECT_THAT(page, HasSubstr(fmt::format(".c-{}", part.name)));
    EXPECT_THAT(page, HasSubstr(fmt::format("--c-{}:", part.name)));
  }
}

TEST(RunHtmlTest, ARunOfSeveralRanksHasATableOfThem) {
  RunRecord record = sample_record();
  record.summary = make_ranks({.world = 3, .slow_rank = 1, .slow_data = 0.03});
  const Diagnosis diagnosis = diagnose_run(record.summary);

  const std::string page =
      render_html({.summary = record.summary, .history = record.history, .diagnosis = diagnosis});

  EXPECT_THAT(page, AllOf(HasSubstr("id=\"ranks\""), HasSubstr("node-2"), HasSubstr("RNK001")));
  EXPECT_THAT(sample_page(), Not(HasSubstr("id=\"ranks\"")));
}

}  // namespace
}  // namespace qanat
