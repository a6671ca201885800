#include "report/mode_table.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/demo_sample.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ModeTableTest, HasALineOfFiguresForEveryMode) {
  const std::string text = render_text(to_document(three_modes()));

  EXPECT_THAT(text,
              HasSubstr("serial, unbuffered       4.00    20.00 %      80.0 %              -"));
  EXPECT_THAT(text, HasSubstr("300 MiB  INPUT-BOUND\n"));

  EXPECT_THAT(text, HasSubstr("12.0 %"));
}

TEST(ModeTableTest, SaysTheVerdictOfEachAndComparesWithTheFirst) {
  const std::string text = render_text(to_document(three_modes()));

  EXPECT_THAT(text, HasSubstr("serial, unbuffered    nothing is prefetched"));
  EXPECT_THAT(text,
              HasSubstr("Single-GPU Buffered: 1.25x [1.23, 1.28] the speech per second of serial"));
  EXPECT_THAT(text, HasSubstr("Virtual GPUs are an emulation"));
}

TEST(ModeTableTest, DoesNotCompareWhatCouldNotBeMeasured) {
  std::vector<ModeRow> rows = three_modes();
  rows[1].diagnosis.verdict = VerdictKind::incomplete;

  EXPECT_THAT(render_text(to_document(rows)), Not(HasSubstr("Single-GPU Buffered: 1.25x")));
}

// Too few steps were quiet for a verdict: why there is no ratio is said all the same.
TEST(ModeTableTest, ADisturbedModeSaysWhyItIsNotCompared) {
  std::vector<ModeRow> rows = three_modes();
  rows[1].diagnosis.verdict = VerdictKind::incomplete;
  rows[1].turns[0].others_share = 0.5;

  EXPECT_THAT(render_text(to_document(rows)),
              HasSubstr("Single-GPU Buffered: no ratio: other programs took up to 50 %"));
}

// A neighbour beside the first mode: its steps take four times as long, and wait for nothing.
TEST(ModeTableTest, ARatioThatDataWaitCannotExplainIsNotShown) {
  std::vector<ModeRow> rows = three_modes();
  for (Turn& turn : rows[0].turns) {
    turn.rate /= 4;
    turn.idle_share = 0.0062;
  }

  const std::string text = render_text(to_document(rows));

  EXPECT_THAT(text, Not(HasSubstr("the speech per second of serial")));
  EXPECT_THAT(text, HasSubstr("Single-GPU Buffered: no ratio: 5.00x was measured, but"));
  EXPECT_TRUE(to_json(rows)[1]["over_first"]["ratio"].is_null());
}

TEST(ModeTableTest, UnknownMemoryIsUnknown) {
  std::vector<ModeRow> rows = three_modes();
  rows[0].memory.reset();

  EXPECT_THAT(render_text(to_document(rows)), HasSubstr("unknown"));
  EXPECT_TRUE(to_json(rows)[0]["memory_bytes"].is_null());
}

TEST(ModeTableTest, ThePageLinksToThePagesOfTheModes) {
  const std::string page = render_html(three_modes(), "<p>before</p>", Translator());

  EXPECT_THAT(page, HasSubstr("<a href=\"there/report.html\">Single-GPU Buffered</a>"));
  EXPECT_THAT(page, HasSubstr("1.25x [1.23, 1.28] the speech per second"));
}

TEST(ModeTableTest, ThePageSpeaksPersian) {
  const std::string page = render_html(three_modes(), "<p>before</p>", Translator(Language::fa));

  EXPECT_THAT(page, HasSubstr("dir=\"rtl\""));
  EXPECT_THAT(page, Not(HasSubstr("Virtual GPUs are an emulation")));
  EXPECT_THAT(page, Not(HasSubstr("the speech per second")));
  EXPECT_THAT(page, Not(HasSubstr("data wait")));
  EXPECT_THAT(page, Not(HasSubstr("nano trains on the cores")));
}

}  // namespace
}  // namespace qanat
