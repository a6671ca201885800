#include "report/mode_table.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

ModeRow mode(const std::string& name, double step, double wait) {
  ModeRow row{.name = name, .memory = mebibytes(300), .folder = "there"};
  RunMeasures& m = row.profile.measures;
  m.steady.resize(80);
  m.seconds.assign(80, step);
  m.adjusted.assign(80, step);
  m.mean_step = step;
  m.mean_interval = {.low = 0.99 * step, .high = 1.01 * step};
  m.effective_steps = 80;
  m.ledger = {.wait = Seconds{wait * step}, .forward = Seconds{(1 - wait) * step}};
  m.frames_per_second = 4000 / step;
  m.spread.robust_cv = 0.021;
  row.profile.model_busy = 1 - wait;
  row.turns.assign(3, {.rate = m.frames_per_second, .idle_share = wait, .others_share = 0.01});
  row.diagnosis.verdict = wait > 0.1 ? VerdictKind::input_bound : VerdictKind::balanced;
  row.diagnosis.why = wait > 0.1
                          ? "nothing is loaded ahead: the device waits while each batch is made"
                          : "nothing worth mentioning can be won";
  return row;
}

std::vector<ModeRow> three_modes() {
  std::vector<ModeRow> rows = {mode("serial, unbuffered", 0.25, 0.2),
                               mode("Single-GPU Buffered", 0.2, 0.001),
                               mode("Multi-GPU, 2 virtual", 0.4, 0.001)};
  rows[2].profile.data_busy = 0.12;
  rows[2].emulated = true;
  for (ModeRow& row : rows) {
    std::ranges::for_each(row.turns, [&](Turn& turn) { turn.device_cores = row.emulated ? 1 : 2; });
  }
  return rows;
}

TEST(ModeTableTest, HasALineOfFiguresForEveryMode) {
  const std::string text = render_text(three_modes());

  EXPECT_THAT(text, HasSubstr(R"(
serial, unbuffered        4.00    20.00 %      80.0 %              -      2.1 %   300 MiB   INPUT-BOUND
)"));
  EXPECT_THAT(text, HasSubstr("12.0 %"));
}

TEST(ModeTableTest, SaysTheVerdictOfEachAndComparesWithTheFirst) {
  const std::string text = render_text(three_modes());

  EXPECT_THAT(text, HasSubstr("serial, unbuffered:    nothing is loaded ahead"));
  EXPECT_THAT(text, HasSubstr("Single-GPU Buffered: 1.25x the speech per second of serial"));
  EXPECT_THAT(text, HasSubstr("Virtual GPUs are an emulation"));
}

TEST(ModeTableTest, DoesNotCompareWhatCouldNotBeMeasured) {
  std::vector<ModeRow> rows = three_modes();
  rows[1].diagnosis.verdict = VerdictKind::incomplete;

  EXPECT_THAT(render_text(rows), Not(HasSubstr("Single-GPU Buffered: 1.25x")));
}

// A neighbour beside the first mode: its steps take four times as long, and wait for nothing.
TEST(ModeTableTest, ARatioThatDataWaitCannotExplainIsNotShown) {
  std::vector<ModeRow> rows = three_modes();
  for (Turn& turn : rows[0].turns) {
    turn.rate /= 4;
    turn.idle_share = 0.0062;
  }

  const std::string text = render_text(rows);

  EXPECT_THAT(text, Not(HasSubstr("the speech per second of serial")));
  EXPECT_THAT(text, HasSubstr("Single-GPU Buffered: no ratio: 5.00x was measured, but"));
  EXPECT_TRUE(to_json(rows)[1]["over_first"]["ratio"].is_null());
}

TEST(ModeTableTest, UnknownMemoryIsUnknown) {
  std::vector<ModeRow> rows = three_modes();
  rows[0].memory.reset();

  EXPECT_THAT(render_text(rows), HasSubstr("unknown"));
  EXPECT_TRUE(to_json(rows)[0]["memory_bytes"].is_null());
}

TEST(ModeTableTest, ThePageLinksToThePagesOfTheModes) {
  const std::string page = render_html(three_modes(), "<p>before</p>", Words());

  EXPECT_THAT(page, HasSubstr("<a href=\"there/report.html\">Single-GPU Buffered</a>"));
  EXPECT_THAT(page, HasSubstr("1.25x the speech per second"));
}

TEST(ModeTableTest, ThePageSpeaksPersian) {
  const std::string page = render_html(three_modes(), "<p>before</p>", Words(Language::fa));

  EXPECT_THAT(page, HasSubstr("dir=\"rtl\""));
  EXPECT_THAT(page, Not(HasSubstr("Virtual GPUs are an emulation")));
  EXPECT_THAT(page, Not(HasSubstr("the speech per second")));
  EXPECT_THAT(page, Not(HasSubstr("data wait")));
  EXPECT_THAT(page, Not(HasSubstr("nano trains on the cores")));
}

}  // namespace
}  // namespace qanat
