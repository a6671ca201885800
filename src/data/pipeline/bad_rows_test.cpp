#include "pipeline/bad_rows.h"

#include <gtest/gtest.h>

#include "metrics/journal_testing.h"

namespace qanat {
namespace {

constexpr BatchId kFirst{.epoch = 0, .index = 0};

PublishedBatch batch_of(int rows, int bad_rows) {
  return {.rows = rows, .bad_rows = bad_rows};
}

PublishedBatch last_of(int rows, int bad_rows) {
  return {.rows = rows, .bad_rows = bad_rows, .last_of_epoch = true};
}

BadRows shuffled(double max_fraction, BatchId start = kFirst) {
  return {max_fraction, ItemOrder::shuffled, start, nullptr};
}

TEST(BadRowsTest, AFewInTheBeginningMayBeChance) {
  BadRows bad = shuffled(0.05);

  EXPECT_FALSE(bad.count(batch_of(4, 1)));
  EXPECT_FALSE(bad.count(batch_of(16, 2)));
}

TEST(BadRowsTest, ThirtyPercentIsNoChanceAfterAFewBatches) {
  BadRows bad = shuffled(0.05);
  int batches = 1;
  while (!bad.count(batch_of(16, 5))) {
    ++batches;
  }

  EXPECT_LE(batches, 15);
}

TEST(BadRowsTest, AWrongFolderIsNoChanceAfterThreeBatches) {
  BadRows bad = shuffled(0.05);

  EXPECT_FALSE(bad.count(batch_of(16, 16)));
  EXPECT_FALSE(bad.count(batch_of(16, 16)));
  EXPECT_TRUE(bad.count(batch_of(16, 16)));
}

// All of the longest are damaged: 32 of 1600, and the first two batches are theirs.
TEST(BadRowsTest, DamageInOneBucketIsJudgedByTheBatch) {
  BadRows bad = shuffled(0.05);

  EXPECT_FALSE(bad.count(batch_of(16, 16)));
  EXPECT_FALSE(bad.count(batch_of(16, 16)));
  for (int i = 0; i < 97; ++i) {
    ASSERT_FALSE(bad.count(batch_of(16, 0)));
  }
  EXPECT_FALSE(bad.count(last_of(16, 0)));
}

TEST(BadRowsTest, BatchesSortedByLengthAreJudgedAtTheEnd) {
  BadRows bad(0.05, ItemOrder::by_length, kFirst, nullptr);

  for (int i = 0; i < 5; ++i) {
    ASSERT_FALSE(bad.count(batch_of(16, 16)));
  }
  EXPECT_TRUE(bad.count(last_of(16, 0)));
}

TEST(BadRowsTest, JustBelowTheLimitRunsOn) {
  BadRows bad = shuffled(0.05);
  for (int i = 0; i < 500; ++i) {
    ASSERT_FALSE(bad.count(batch_of(100, 3)));
  }
  EXPECT_FALSE(bad.count(last_of(100, 3)));
}

TEST(BadRowsTest, AtTheEndOfAnEpochTheLimitIsExact) {
  BadRows below = shuffled(0.05);
  EXPECT_FALSE(below.count(last_of(100, 5)));

  BadRows above = shuffled(0.05);
  const auto error = above.count(last_of(100, 6));
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("6 of 100"), std::string::npos);
}

TEST(BadRowsTest, EveryEpochIsJudgedByItself) {
  BadRows bad = shuffled(0.05);
  ASSERT_FALSE(bad.count(last_of(1000, 0)));

  EXPECT_TRUE(bad.count(last_of(100, 6)));
}

TEST(BadRowsTest, TheRestOfAResumedEpochIsNotJudgedAsAWhole) {
  BadRows bad = shuffled(0.05, {.epoch = 0, .index = 60});

  EXPECT_FALSE(bad.count(last_of(15, 1)));  // 6 % of the few that were left
}

TEST(BadRowsTest, ALimitOfZeroStopsAtTheFirst) {
  BadRows bad = shuffled(0.0);

  EXPECT_FALSE(bad.count(batch_of(16, 0)));
  EXPECT_TRUE(bad.count(batch_of(16, 1)));
}

TEST(BadRowsTest, TellsTheJournalOncePerFileAndEpoch) {
  EventList journal;
  BadRows bad(0.05, ItemOrder::shuffled, kFirst, &journal);
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

  const std::vector<BadUtterance> events = journal.events<BadUtterance>();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].file, "9.wav");
  EXPECT_EQ(events[0].reason, "9.wav: empty");
  EXPECT_EQ(events[1].epoch, 1);
}

}  // namespace
}  // namespace qanat
