#include "metrics/journal_follower.h"

#include <fstream>
#include <stop_token>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "metrics/journal.h"

namespace qanat {
namespace {

class JournalFollowerTest : public testing::Test {
 protected:
  void append(std::string_view text) {
    std::ofstream(path_, std::ios::app | std::ios::binary) << text;
  }
  std::vector<std::string> read() {
    std::vector<std::string> kinds;
    const auto progress = follower_.read_on(
        [&](const JournalEntry& entry) { kinds.emplace_back(kind_of(entry.event)); });
    EXPECT_TRUE(progress);
    return kinds;
  }

  const std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("follow_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
       ".jsonl");
  JournalFollower follower_{path_};

  void SetUp() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(journal_before(path_));
  }
};

using Kinds = std::vector<std::string>;

TEST_F(JournalFollowerTest, HandsOverEachLineOnce) {
  append("{\"kind\":\"a\"}\n{\"kind\":\"b\"}\n");

  EXPECT_EQ(read(), (Kinds{"a", "b"}));
  EXPECT_EQ(read(), Kinds{});
  append("{\"kind\":\"c\"}\n");
  EXPECT_EQ(read(), Kinds{"c"});
}

TEST_F(JournalFollowerTest, WaitsForTheEndOfALine) {
  append("{\"kind\":");
  EXPECT_EQ(read(), Kinds{});

  append("\"a\"}\n");
  EXPECT_EQ(read(), Kinds{"a"});
}

TEST_F(JournalFollowerTest, CountsDamagedLinesAndGoesOn) {
  append("{\"kind\":\"a\"}\n{\"kind\":\"to\n\n{\"kind\":\"b\"}\n");

  EXPECT_EQ(read(), (Kinds{"a", "b"}));
  EXPECT_EQ(follower_.damaged_lines(), 1);
}

TEST_F(JournalFollowerTest, AFileThatWasReplacedIsReadFromItsBeginning) {
  append("{\"kind\":\"a\"}\n{\"kind\":\"b\"}\n");
  EXPECT_EQ(read().size(), 2U);

  std::filesystem::remove(path_);
  append("{\"kind\":\"c\"}\n");
  EXPECT_EQ(read(), Kinds{"c"});
}

TEST_F(JournalFollowerTest, AJournalThatGoesOnInANewFileIsFollowedWithoutALoss) {
  RunJournal journal(path_, {}, Bytes{300});
  std::vector<std::string> kinds;
  for (int i = 0; i < 40; ++i) {
    journal.record(UnknownEvent{.kind = fmt::format("n{}", i)});
    if (i % 3 == 0) {
      for (std::string& kind : read()) {
        kinds.push_back(std::move(kind));
      }
    }
  }

  std::erase(kinds, "journal");
  ASSERT_EQ(kinds.size(), 40U);
  EXPECT_EQ(kinds.front(), "n0");
  EXPECT_EQ(kinds.back(), "n39");
}

TEST_F(JournalFollowerTest, TheFileBeforeComesFirst) {
  {
    RunJournal journal(path_, {}, Bytes{300});
    for (int i = 0; i < 5; ++i) {
      journal.record(
          UnknownEvent{.kind = fmt::format("n{}", i), .fields = {{"what", std::string(60, '-')}}});
    }
  }
  ASSERT_TRUE(std::filesystem::exists(journal_before(path_)));

  const Kinds kinds = read();

  EXPECT_EQ(kinds.at(1), "n0");
  EXPECT_EQ(kinds.back(), "n4");
}

TEST_F(JournalFollowerTest, AFileThatVanishesIsNoFailureOnceItWasOpen) {
  append("{\"kind\":\"a\"}\n");
  EXPECT_EQ(read(), Kinds{"a"});

  std::filesystem::remove(path_);
  EXPECT_EQ(read(), Kinds{});
}

TEST_F(JournalFollowerTest, AFileThatNeverWasIsOne) {
  EXPECT_FALSE(follower_.read_on([](const JournalEntry&) {}));
}

TEST_F(JournalFollowerTest, ANewerFormatIsRefused) {
  append("{\"kind\":\"journal\",\"format\":99}\n");

  const auto progress = follower_.read_on([](const JournalEntry&) {});

  ASSERT_FALSE(progress);
  EXPECT_NE(progress.failure().what.find("try a newer qanat"), std::string::npos);
}

TEST_F(JournalFollowerTest, ALongJournalIsLeftWhenAskedTo) {
  constexpr int kLines = 3;
  const std::string filler(JournalFollower::kMaxBytes / 2, 'x');
  for (int i = 0; i < kLines; ++i) {
    append("{\"kind\":\"a\",\"filler\":\"" + filler + "\"}\n");
  }
  std::stop_source stop;
  int lines = 0;

  const auto visit = [&](const JournalEntry&) {
    ++lines;
    stop.request_stop();
  };
  ASSERT_TRUE(visit_journal(path_, visit, {.stop = stop.get_token()}));

  EXPECT_GT(lines, 0);
  EXPECT_LT(lines, kLines);
}

// A run that writes as fast as it is read would keep its reader for good.
TEST_F(JournalFollowerTest, AJournalThatGrowsIsReadAsItWasAtTheBeginning) {
  append("{\"kind\":\"a\"}\n{\"kind\":\"b\"}\n");
  Kinds kinds;
  const auto visit = [&](const JournalEntry& entry) {
    kinds.emplace_back(kind_of(entry.event));
    if (kinds.size() < 1000) {
      append("{\"kind\":\"later\"}\n");
    }
  };

  ASSERT_TRUE(visit_journal(path_, visit));

  EXPECT_EQ(kinds, (Kinds{"a", "b"}));
}

TEST_F(JournalFollowerTest, AJournalThatGoesOnInANewFileMeanwhileHasAnEndAsWell) {
  append("{\"kind\":\"journal\",\"format\":1}\n{\"kind\":\"b\"}\n");
  std::filesystem::rename(path_, journal_before(path_));
  append("{\"kind\":\"journal\",\"format\":1,\"continues\":true}\n");
  Kinds kinds;
  const auto visit = [&](const JournalEntry& entry) {
    kinds.emplace_back(kind_of(entry.event));
    if (kinds.size() == 2) {
      std::filesystem::rename(path_, journal_before(path_));
      append("{\"kind\":\"journal\",\"format\":1,\"continues\":true}\n");
    }
    if (kinds.size() < 1000) {
      append("{\"kind\":\"later\"}\n");
    }
  };

  ASSERT_TRUE(visit_journal(path_, visit));

  EXPECT_LT(kinds.size(), 100U);
}

TEST_F(JournalFollowerTest, WhereTheEndsAreEnoughTheMiddleIsSkipped) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += fmt::format("{{\"kind\":\"step_{}\"}}\n", i);
  }
  for (int i = 0; i < 100; ++i) {
    append(text);
  }
  std::vector<std::string> kinds;

  const Result<int> damaged = visit_journal(
      path_,
      [&](const JournalEntry& entry) { kinds.emplace_back(kind_of(entry.event)); },
      {.ends = JournalFollower::Ends{.head = Bytes{10 << 10}, .tail = Bytes{100 << 10}}});

  ASSERT_TRUE(damaged);
  EXPECT_EQ(damaged.value(), 0);
  ASSERT_GT(kinds.size(), 10'000U);  // what is read at once is a few hundred kB
  EXPECT_LT(kinds.size(), 50'000U);
  EXPECT_EQ(kinds.front(), "step_0");
  EXPECT_EQ(kinds.back(), "step_999");
}

TEST_F(JournalFollowerTest, ADeletedJournalIsKnownAndAMovedOneIsNotDeleted) {
  EXPECT_FALSE(follower_.is_deleted()) << "not there yet";
  append("{\"kind\":\"a\"}\n");
  EXPECT_EQ(read(), Kinds{"a"});
  EXPECT_FALSE(follower_.is_deleted());

  std::filesystem::rename(path_, journal_before(path_));
  EXPECT_FALSE(follower_.is_deleted()) << "the next file is about to come";
  std::filesystem::remove(journal_before(path_));

  EXPECT_TRUE(follower_.is_deleted());
}

}  // namespace
}  // namespace qanat
