#include "cli/top_view.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/ranks_testing.h"
#include "history/run_sample.h"
#include "locale/messages/charts.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

using testing::HasSubstr;

const Terminal kWide{.interactive = true, .width = 100, .color = false, .unicode = true};

struct Sample {
  RunSnapshot run{};
  RunRecord record{};
  Diagnosis diagnosis{};

  Sample() {
    for (const nlohmann::json& line : sample_journal()) {
      run.add(entry_of(line));
      record.add(entry_of(line));
    }
    diagnosis = diagnose_run(record.summary);
  }
  TopState state(Language language = Language::en) const {
    return {.journal = "run/journal.jsonl",
            .run = run,
            .record = record,
            .diagnosis = diagnosis,
            .words = Translator(language)};
  }
  std::string text(const Terminal& terminal, Language language = Language::en) const {
    return fmt::format("{}", fmt::join(render_top(state(language), terminal), "\n"));
  }
};

TEST(TopViewTest, ShowsPaceLossWaitBuffersAndVerdict) {
  const std::string text = Sample().text(kWide);

  EXPECT_THAT(text, HasSubstr("run/journal.jsonl"));
  EXPECT_THAT(text, HasSubstr("step      200"));
  EXPECT_THAT(text, HasSubstr("steps/s"));
  EXPECT_THAT(text, HasSubstr("loss      0.0250"));
  EXPECT_THAT(text, HasSubstr("6/8")) << "batches ready";
  EXPECT_THAT(text,
              HasSubstr("VERDICT  INPUT-BOUND   22 % of the step time can be saved\n#1  DL002"))
      << "the reason is said once";
  EXPECT_THAT(text, HasSubstr("--num-workers 2"));
}

TEST(TopViewTest, RanksHaveALineEach) {
  Sample sample;
  sample.diagnosis = diagnose_run(make_ranks({.world = 3, .slow_rank = 1, .slow_data = 0.03}));

  const std::string text = sample.text(kWide);

  EXPECT_THAT(text, HasSubstr("rank 2"));
  EXPECT_THAT(text, HasSubstr("node-2"));
  EXPECT_THAT(text, HasSubstr("VERDICT  EXCHANGE-BOUND"));
  EXPECT_THAT(Sample().text(kWide), testing::Not(HasSubstr("rank 0")));
}

TEST(TopViewTest, EveryLineFitsTheWidth) {
  Terminal narrow = kWide;
  narrow.width = 40;
  narrow.unicode = false;

  for (const std::string& line : render_top(Sample().state(), narrow)) {
    EXPECT_LE(line.size(), 40U) << line;
  }
}

TEST(TopViewTest, PlainTerminalsGetPlainSigns) {
  Terminal plain = kWide;
  plain.unicode = false;

  for (const char byte : Sample().text(plain)) {
    EXPECT_LT(static_cast<unsigned char>(byte), 0x80);
  }
}

TEST(TopViewTest, PersianHasPersianWords) {
  const std::string text = Sample().text(kWide, Language::fa);

  EXPECT_THAT(text, HasSubstr("معطل داده"));
  EXPECT_THAT(text, HasSubstr("\u2068--num-workers 2\u2069"));
}

TEST(TopViewTest, ARunWithoutStepsSaysSo) {
  const RunSnapshot run;
  const RunRecord record;
  const Diagnosis diagnosis;

  const auto lines =
      render_top({.journal = "j", .run = run, .record = record, .diagnosis = diagnosis}, kWide);

  EXPECT_THAT(lines.at(2), HasSubstr("none yet"));
}

TEST(TopViewTest, AChartGoesFromLeastToGreatest) {
  using Rows = std::vector<std::string>;
  EXPECT_EQ(column_chart({0, 1}, {}), Rows{"▁█"});
  EXPECT_EQ(column_chart({9, 0, 1}, {.width = 2}), Rows{"▁█"}) << "the newest ones";
  EXPECT_EQ(column_chart({0, 0.5, 1}, {.height = 2}), (Rows{" ▁█", "▁██"}));
  EXPECT_EQ(column_chart({}, {}), Rows{});
}

TEST(TopViewTest, WhatIsLearntAndWhatTheMachineDoesAreShown) {
  Sample sample;
  HostCounters begin;
  begin.machine_busy = begin.machine_stolen = begin.process_cpu = 0.0;
  HostCounters end = begin;
  end.machine_busy = 30.0;
  end.process_cpu = 10.0;
  end.free_memory = 4e9;
  sample.record.summary.host = HostSummary{
      .setup = {.online_cores = 4.0}, .first = begin, .last = end, .last_at = 10, .samples = 2};

  const std::string text = sample.text(kWide);

  EXPECT_THAT(text, HasSubstr("rate 0.001, gradient norm 2.00"));
  EXPECT_THAT(text, HasSubstr("validated 0.9000 at step 200"));
  EXPECT_THAT(text, HasSubstr("1.0 used by this run, 2.0 by other programs, of 4"));
  EXPECT_THAT(text, HasSubstr("memory    3.7"));
}

TEST(TopViewTest, AFixIsShownWholeOnANarrowTerminal) {
  Terminal narrow = kWide;
  narrow.width = 40;
  narrow.unicode = false;
  Sample sample;
  ASSERT_FALSE(sample.diagnosis.findings.empty());
  sample.diagnosis.findings.front().fixes = {
      {.action = msg::verbatim_text{.text = "one two three four five six seven eight nine ten"}}};

  const std::vector<std::string> lines = render_top(sample.state(), narrow, 20);

  std::string words;
  for (const std::string& line : lines) {
    EXPECT_LE(line.size(), 40U) << line;
    words += line.substr(std::min(line.find_first_not_of(' '), line.size())) + ' ';
  }
  EXPECT_LE(lines.size(), 20U);
  EXPECT_THAT(words, HasSubstr("one two three four five six seven eight nine ten"));
  EXPECT_THAT(words, HasSubstr("VERDICT"));
}

class TopViewRowsTest : public testing::TestWithParam<int> {};

TEST_P(TopViewRowsTest, TheViewFillsTheRows) {
  const std::vector<std::string> lines = render_top(Sample().state(), kWide, GetParam());

  EXPECT_LE(lines.size(), static_cast<std::size_t>(GetParam()));
  EXPECT_GE(lines.size(), static_cast<std::size_t>(GetParam() - 1));
}

INSTANTIATE_TEST_SUITE_P(Heights, TopViewRowsTest, testing::Values(3, 12, 20, 24, 30, 40));

TEST(TopViewTest, ARunIsCalledByItsName) {
  EXPECT_THAT(render_top(Sample().state(), kWide).at(0), testing::StartsWith("mary & ali  "));
}

TEST(TopViewTest, NamesInTheJournalDoNotActOnTheTerminal) {
  Sample sample;
  sample.run.name = "mary\x1b[2J";
  sample.run.model_device = "cpu\x1b[2J\n";
  Terminal coloured = kWide;
  coloured.color = true;
  TopState state = sample.state();
  state.journal = "run\x1b]0;x\x07/journal.jsonl";

  const std::vector<std::string> lines = render_top(state, coloured);

  EXPECT_EQ(lines.at(0), "\x1b[1mmary\\x1b[2J\x1b[0m  run\\x1b]0;x\\x07/journal.jsonl");
  EXPECT_THAT(lines.at(1), HasSubstr("cpu\\x1b[2J\\x0a"));
}

TEST(TopViewTest, WhatIsWrongWithTheJournalIsSaid) {
  const Sample sample;
  TopState state = sample.state();
  state.problem = msg::watch_journal_deleted{};

  const std::string problem = Translator().tr(state.problem);
  EXPECT_EQ(render_top(state, kWide).at(2), problem);
  EXPECT_THAT(render_top_line(state), testing::EndsWith(problem));
}

TEST(TopViewTest, CuttingKeepsEscapesWhole) {
  EXPECT_EQ(cut_to_width("\x1b[1mabcdef\x1b[0m", 3), "\x1b[1mabc\x1b[0m");
  EXPECT_EQ(cut_to_width("سلام", 2), "سل");
}

}  // namespace
}  // namespace qanat
