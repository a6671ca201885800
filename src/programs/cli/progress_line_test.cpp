#include "cli/progress_line.h"

#include <sstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Terminal kLog{};
constexpr Terminal kScreen{.interactive = true, .width = 100, .color = true, .unicode = false};

class ProgressLineTest : public testing::Test {
 protected:
  ProgressLineOptions options() {
    return {.label = "indexing", .unit = "files", .now = [this] { return now_; }};
  }
  void pass(double seconds) {
    now_ += std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  }
  std::size_t lines() const {
    const std::string text = out_.str();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  Clock::time_point now_;
  std::ostringstream out_;
};

TEST_F(ProgressLineTest, ShortWorkIsNotMentioned) {
  ProgressLine line(out_, kScreen, options());

  pass(1.9);
  line.update(10, 10);
  line.finish();

  EXPECT_EQ(out_.str(), "");
}

TEST_F(ProgressLineTest, ALogGetsALineAtMostEveryTenSecondsAndTheEnd) {
  ProgressLine line(out_, kLog, options());

  for (int second = 1; second <= 25; ++second) {
    pass(1);
    line.update(second, 25);
  }
  line.finish();

  EXPECT_EQ(out_.str(),
            "indexing:   8%  2/25 files  1/s  0:23 left\n"
            "indexing:  48%  12/25 files  1/s  0:13 left\n"
            "indexing:  88%  22/25 files  1/s  0:03 left\n"
            "indexing: 25 files in 25.0 s, 1/s\n");
}

TEST_F(ProgressLineTest, ATerminalLineIsRewrittenAtMostTenTimesASecond) {
  ProgressLine line(out_, kScreen, options());

  pass(2);
  for (int i = 0; i < 1000; ++i) {
    pass(0.001);
    line.update(i, 1000);
  }

  const std::string text = out_.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 10);
  EXPECT_EQ(lines(), 0);
}

TEST_F(ProgressLineTest, TheEndOfATerminalLineReplacesItAndEndsIt) {
  ProgressLine line(out_, kScreen, options());
  line.update(0, 8);
  pass(4);
  line.update(8, 8);
  out_.str("");

  line.finish();

  EXPECT_EQ(out_.str(), "\r\x1b[Kindexing: 8 files in 4.0 s, 2/s\n");
}

TEST_F(ProgressLineTest, NothingIsWrittenAfterFinish) {
  ProgressLine line(out_, kLog, options());
  const ProgressFn fn = line.fn();
  pass(3);
  fn(1, 2);
  line.finish();
  const std::string before = out_.str();

  pass(60);
  fn(2, 2);
  line.finish();

  EXPECT_EQ(out_.str(), before);
}

TEST_F(ProgressLineTest, AFunctionThatOutlivesTheLineIsHarmless) {
  ProgressFn fn;
  {
    ProgressLine line(out_, kLog, options());
    fn = line.fn();
  }

  pass(60);
  fn(1, 2);

  EXPECT_EQ(out_.str(), "");
}

TEST_F(ProgressLineTest, StoppedWorkSaysHowFarItCame) {
  ProgressLine line(out_, kLog, options());
  pass(3);
  line.update(5, 9);
  out_.str("");

  line.finish();

  EXPECT_EQ(out_.str(), "indexing: stopped at 5 of 9 files after 3.0 s\n");
}

TEST_F(ProgressLineTest, WorkThatResumedDoesNotCountWhatWasThereInItsRate) {
  ProgressLine line(out_, kLog, options());

  line.update(1000, 1100);
  pass(10);
  line.update(1050, 1100);

  EXPECT_THAT(out_.str(), HasSubstr("  5/s  0:10 left"));
}

TEST_F(ProgressLineTest, TwoThreadsMayReportWhileAThirdFinishes) {
  ProgressLine line(out_, kLog, {.label = "work", .unit = "steps", .now = Clock::now});
  const ProgressFn fn = line.fn();
  {
    const std::jthread one([&] { fn(1, 3); });
    const std::jthread two([&] { fn(2, 3); });
    line.finish();
  }

  EXPECT_EQ(out_.str(), "");
}

TEST(ProgressTextTest, AnUnknownTotalShowsNoShareAndNoTimeLeft) {
  const std::string text = running_text({.label = "read",
                                         .unit = "lines",
                                         .done = 50,
                                         .total = 0,
                                         .first = 0,
                                         .first_elapsed = Seconds(0),
                                         .elapsed = Seconds(2)},
                                        kScreen);

  EXPECT_EQ(text, "read:  50 lines  25/s");
}

TEST(ProgressTextTest, AWideTerminalHasABar) {
  const ProgressFacts half{.label = "read",
                           .unit = "lines",
                           .done = 5,
                           .total = 10,
                           .first = 0,
                           .first_elapsed = Seconds(0),
                           .elapsed = Seconds(1)};

  EXPECT_EQ(running_text(half, kScreen),
            "read: ##########..........  50%  5/10 lines  5/s  0:01 left");
}

TEST(ProgressTextTest, ANarrowTerminalIsNeverWrapped) {
  Terminal narrow = kScreen;
  narrow.width = 24;
  const ProgressFacts half{.label = "reading",
                           .unit = "lines",
                           .done = 5,
                           .total = 10,
                           .first = 0,
                           .first_elapsed = Seconds(0),
                           .elapsed = Seconds(1)};

  EXPECT_EQ(running_text(half, narrow).size(), 23);
}

TEST(ProgressTextTest, TimesBeyondAnHourShowHours) {
  const ProgressFacts slow{.label = "read",
                           .unit = "lines",
                           .done = 1,
                           .total = 1001,
                           .first = 0,
                           .first_elapsed = Seconds(0),
                           .elapsed = Seconds(7.5)};

  EXPECT_THAT(running_text(slow, kLog), HasSubstr("0.13/s  2:05:00 left"));
}

TEST(ProgressTextTest, UnicodeBarsAppearOnlyWhereTheyCanBeShown) {
  Terminal unicode = kScreen;
  unicode.unicode = true;
  const ProgressFacts half{.label = "read",
                           .unit = "lines",
                           .done = 5,
                           .total = 10,
                           .first = 0,
                           .first_elapsed = Seconds(0),
                           .elapsed = Seconds(1)};

  EXPECT_THAT(running_text(half, unicode), HasSubstr("█░"));
  EXPECT_THAT(running_text(half, kScreen), Not(HasSubstr("█")));
}

}  // namespace
}  // namespace qanat
