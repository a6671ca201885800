#include "metrics/journal.h"

#include <fstream>
#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/mount.h>

#include "base/error.h"
#include "locale/translator.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

class JournalTest : public testing::Test {
 protected:
  JournalTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / "journal_test" / test->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "run.jsonl";
  }
  JournalTest(const JournalTest&) = delete;
  JournalTest& operator=(const JournalTest&) = delete;
  ~JournalTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST_F(JournalTest, LinesThatAFullDiskDoesNotTakeWaitForSpace) {
  if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "may not mount a small disk here";
  }
  std::vector<std::string> said;
  {
    RunJournal journal(path_);
    journal.tell([&](const Message& line) { said.push_back(Translator().tr(line)); });
    std::ofstream filler(folder_ / "filler");
    filler << std::string(1 << 20, 'x') << std::flush;
    filler.close();

    for (int i = 0; i < 100; ++i) {
      journal.record(NoteTold{.what = std::string(100, 'y')});
    }
    ASSERT_EQ(said.size(), 1U);
    std::filesystem::remove(folder_ / "filler");
    journal.record(RunEnd{});
  }

  const JournalContents contents = read_journal(path_).value();
  EXPECT_EQ(contents.entries.size(), 1U + 100U + 1U);
  EXPECT_EQ(contents.damaged_lines, 0);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_NE(said[1].find("no line is lost"), std::string::npos);
  ::umount(folder_.c_str());
}

TEST_F(JournalTest, StartsWithAHeaderAndKeepsEventsInOrder) {
  {
    RunJournal journal(path_, {.command = "train"});
    journal.record(StepRecord{.learning_rate = 0.5});
    journal.record(RunEnd{});
  }

  const JournalContents contents = read_journal(path_).value();

  ASSERT_EQ(contents.entries.size(), 3U);
  const SessionStart& header = std::get<SessionStart>(contents.entries[0].event);
  EXPECT_EQ(header.format, RunJournal::kFormat);
  EXPECT_EQ(header.command, "train");
  EXPECT_EQ(std::get<StepRecord>(contents.entries[1].event).learning_rate, 0.5);
  EXPECT_TRUE(std::holds_alternative<RunEnd>(contents.entries[2].event));
  EXPECT_LE(contents.entries[1].at, contents.entries[2].at);
  EXPECT_EQ(contents.damaged_lines, 0);
}

TEST_F(JournalTest, TheJournalOfEveryRankLiesBesideTheOneOfRankZero) {
  EXPECT_EQ(journal_of_rank("run/journal.jsonl", 0), "run/journal.jsonl");
  EXPECT_EQ(journal_of_rank("run/journal.jsonl", 12), "run/journal.rank12.jsonl");
  EXPECT_EQ(journal_of_rank("journal.jsonl", 1), "journal.rank1.jsonl");
}

TEST_F(JournalTest, KnowsWhatItCosts) {
  RunJournal journal(path_);
  EXPECT_EQ(journal.spent(), Seconds{0});
  const Clock::time_point start = Clock::now();

  for (int i = 0; i < 100; ++i) {
    journal.record(Resumed{.step = i});
  }

  EXPECT_GT(journal.spent(), Seconds{0});
  EXPECT_LE(journal.spent(), seconds_since(start));
}

TEST_F(JournalTest, ALineTornByACrashCostsOnlyThatLine) {
  { RunJournal(path_).record(StepRecord{}); }
  std::ofstream(path_, std::ios::app) << R"({"kind":"step","lo)";

  { RunJournal(path_).record(Resumed{}); }

  const JournalContents contents = read_journal(path_).value();
  ASSERT_EQ(contents.entries.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<SessionStart>(contents.entries[2].event));
  EXPECT_TRUE(std::holds_alternative<Resumed>(contents.entries[3].event));
  EXPECT_EQ(contents.damaged_lines, 1);
}

TEST_F(JournalTest, ALineThatIsBeingWrittenIsNoDamage) {
  { RunJournal(path_).record(StepRecord{}); }
  std::ofstream(path_, std::ios::app) << R"({"kind":"step","lo)";

  const JournalContents contents = read_journal(path_).value();

  EXPECT_EQ(contents.entries.size(), 2U);
  EXPECT_EQ(contents.damaged_lines, 0);
}

TEST_F(JournalTest, AJournalKeepsTheEndOfALongRunInTwiceItsLimit) {
  {
    RunJournal journal(path_, {.command = "train"}, Bytes{2000});
    journal.record(RunStart{.mode = "single"});
    for (int i = 0; i < 1000; ++i) {
      journal.record(NoteTold{.what = std::to_string(i)});
    }
  }

  const JournalContents contents = read_journal(path_).value();

  EXPECT_LE(std::filesystem::file_size(path_), 2100U);
  EXPECT_LE(std::filesystem::file_size(journal_before(path_)), 2100U);
  std::vector<int> notes;
  int runs = 0;
  for (const JournalEntry& entry : contents.entries) {
    runs += std::holds_alternative<RunStart>(entry.event) ? 1 : 0;
    if (const auto* note = std::get_if<NoteTold>(&entry.event)) {
      notes.push_back(std::stoi(note->what));
    }
  }
  ASSERT_GE(notes.size(), 40U);
  EXPECT_EQ(notes.back(), 999);
  EXPECT_EQ(notes.back() - notes.front() + 1, std::ssize(notes));  // none is missing
  EXPECT_EQ(runs, 2);  // what describes the run is in either file
}

TEST_F(JournalTest, AFileOfAnEarlierRunBesideAJournalIsNotPartOfIt) {
  std::ofstream(journal_before(path_)) << R"({"kind":"journal","format":1})" << '\n';
  { RunJournal(path_).record(StepRecord{}); }

  EXPECT_EQ(read_journal(path_).value().entries.size(), 2U);
}

TEST_F(JournalTest, LinesOfManyThreadsStayWhole) {
  std::optional<RunJournal> journal(std::in_place, path_);
  const auto write = [&journal](int thread) {
    for (int i = 0; i < 100; ++i) {
      journal->record(NoteTold{.what = std::to_string(thread)});
    }
  };
  std::vector<std::jthread> writers;
  writers.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    writers.emplace_back(write, thread);
  }
  writers.clear();
  journal.reset();

  const JournalContents contents = read_journal(path_).value();
  EXPECT_EQ(contents.entries.size(), 401U);
  EXPECT_EQ(contents.damaged_lines, 0);
}

TEST_F(JournalTest, AFileNameThatIsNotUtf8DoesNotLoseTheEvent) {
  { RunJournal(path_).record(BadUtterance{.file = "a\xff.wav"}); }

  EXPECT_EQ(std::get<BadUtterance>(read_journal(path_).value().entries[1].event).file,
            "a\xef\xbf\xbd.wav");
}

TEST_F(JournalTest, RefusesTheJournalOfANewerProgram) {
  std::ofstream(path_) << R"({"kind":"journal","format":999})" << '\n';

  const Result<JournalContents> contents = read_journal(path_);

  ASSERT_FALSE(contents.ok());
  EXPECT_NE(contents.failure().what.find("999"), std::string::npos);
}

TEST_F(JournalTest, AHeaderWithOddTypesIsNoReasonToFail) {
  std::ofstream(path_) << R"({"kind":7,"format":"x"})" << '\n' << R"({"kind":"journal"})" << '\n';

  EXPECT_EQ(read_journal(path_).value().entries.size(), 2U);
}

TEST_F(JournalTest, ALineWithoutEndDoesNotTakeAllMemory) {
  {
    std::ofstream file(path_);
    file << std::string(8 << 20, '[') << '\n' << R"({"kind":"after"})" << '\n';
  }

  const JournalContents contents = read_journal(path_).value();

  EXPECT_EQ(contents.damaged_lines, 1);
  ASSERT_EQ(contents.entries.size(), 1U);
  EXPECT_EQ(kind_of(contents.entries[0].event), "after");
}

TEST_F(JournalTest, AFolderThatDoesNotExistIsAnErrorNamingThePath) {
  try {
    RunJournal journal(folder_ / "missing" / "run.jsonl");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("missing/run.jsonl"), std::string::npos);
  }
}

TEST_F(JournalTest, AFullDiskIsAnError) {
  EXPECT_THROW(RunJournal("/dev/full"), Error);
}

TEST(EventListTest, KeepsEventsByKind) {
  EventList list;
  list.record(Resumed{.step = 1});
  list.record(RunEnd{});
  list.record(Resumed{.step = 2});

  ASSERT_EQ(list.events<Resumed>().size(), 2U);
  EXPECT_EQ(list.events<Resumed>()[1].step, 2);
  EXPECT_EQ(list.events().size(), 3U);
}

}  // namespace
}  // namespace qanat
