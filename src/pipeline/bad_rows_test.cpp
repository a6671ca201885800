#include "pipeline/bad_rows.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

constexpr BatchId kFirst{.epoch = 0, .index = 0};

PublishedBatch batch_of(int rows, int failures) {
  return {.rows = rows, .failures = failures};
}

PublishedBatch last_of(int rows, int failures) {
  return {.rows = rows, .failures = failures, .last_of_epoch = true};
}

TEST(BadRowsTest, AFewInTheBeginningMayBeChance) {
  BadRows bad(0.05, kFirst, nullptr);

  EXPECT_FALSE(bad.count(batch_of(4, 1)));
  EXPECT_FALSE(bad.count(batch_of(16, 2)));
}

TEST(BadRowsTest, ThirtyPercentIsNoChanceAfterAFewBatches) {
  BadRows bad(0.05, kFirst, nullptr);
  int batches = 1;
  while (!bad.count(batch_of(16, 7))) {  // 7 of 23 attempts
    ++batches;
  }

  EXPECT_LE(batches, 3);
}

TEST(BadRowsTest, JustBelowTheLimitRunsOn) {
  BadRows bad(0.05, kFirst, nullptr);
  for (int i = 0; i < 500; ++i) {
    ASSERT_FALSE(bad.count(batch_of(97, 3)));
  }
  EXPECT_FALSE(bad.count(last_of(97, 3)));
}

TEST(BadRowsTest, AtTheEndOfAnEpochTheLimitIsExact) {
  BadRows below(0.05, kFirst, nullptr);
  EXPECT_FALSE(below.count(last_of(95, 5)));  // 5 of 100

  BadRows above(0.05, kFirst, nullptr);
  const auto error = above.count(last_of(94, 6));  // 6 of 100
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("6 of 100"), std::string::npos);
}

TEST(BadRowsTest, EveryEpochIsJudgedByItself) {
  BadRows bad(0.05, kFirst, nullptr);
  ASSERT_FALSE(bad.count(last_of(1000, 0)));

  EXPECT_TRUE(bad.count(last_of(94, 6)));
}

TEST(BadRowsTest, TheRestOfAResumedEpochIsNotJudgedAsAWhole) {
  BadRows bad(0.05, {.epoch = 0, .index = 60}, nullptr);

  EXPECT_FALSE(bad.count(last_of(15, 1)));  // 6 % of the few that were left
}

TEST(BadRowsTest, ALimitOfZeroStopsAtTheFirst) {
  BadRows bad(0.0, kFirst, nullptr);

  EXPECT_FALSE(bad.count(batch_of(16, 0)));
  EXPECT_TRUE(bad.count(batch_of(16, 1)));
}

TEST(BadRowsTest, TellsTheJournalOncePerFileAndEpoch) {
  EventList journal;
  BadRows bad(0.05, kFirst, &journal);
  const BadRow first{.batch = {.epoch = 0, .index = 3},
                     .row = 1,
                     .item = 9,
                     .file = "9.wav",
                     .reason = "9.wav: empty"};
  BadRow later = first;
  later.batch = {.epoch = 1, .index = 0};

  bad.report(first);
  bad.report(first);
  bad.report(later);

  const std::vector<Event> events = journal.events("bad_utterance");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].fields["file"], "9.wav");
  EXPECT_EQ(events[0].fields["reason"], "9.wav: empty");
  EXPECT_EQ(events[1].fields["epoch"], 1);
}

}  // namespace
}  // namespace qanat
