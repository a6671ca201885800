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

TEST_F(JournalTest, AJournalKeepsTheEndOfALongRunInTwiceItsLimitAndARecap) {
  {
    RunJournal journal(path_, {.command = "train"}, Bytes{20'000});
    journal.record(RunStart{.mode = "single"});
    for (int i = 0; i < 10'000; ++i) {
      journal.record(NoteTold{.what = std::to_string(i)});
    }
  }

  const JournalContents contents = read_journal(path_).value();

  constexpr std::uintmax_t kRecap = 10'000;
  EXPECT_LE(std::filesystem::file_size(path_), 20'000U + kRecap);
  EXPECT_LE(std::filesystem::file_size(journal_before(path_)), 20'000U + kRecap);
  EXPECT_FALSE(std::filesystem::exists(journal_after(path_)));
  const std::vector<NoteTold> notes = events_of<NoteTold>(contents);
  EXPECT_EQ(notes.front().what, "0");
  EXPECT_EQ(notes.back().what, "9999");
  for (std::size_t i = notes.size() - 400; i < notes.size(); ++i) {  // none of them is missing
    EXPECT_EQ(notes[i].what, std::to_string(10'000 - notes.size() + i));
  }
  EXPECT_EQ(events_of<RunStart>(contents).size(), 1U);
  EXPECT_EQ(contents.damaged_lines, 0);
}

StepRecord step_of(std::int64_t number) {
  return {.step = number,
          .rows = 4,
          .padded_frames = 100,
          .frames = 390,
          .losses = {.total = 1 + 1.0 / static_cast<double>(number + 1), .mel = 1},
          .learning_rate = 1e-3,
          .gradient_norm = 2,
          .phases = {.forward = Seconds{0.25}}};
}

std::int64_t num_steps(const JournalContents& contents) {
  std::int64_t count = std::ssize(events_of<StepRecord>(contents));
  for (const PastSteps& past : events_of<PastSteps>(contents)) {
    count += past.count;
  }
  return count;
}

TEST_F(JournalTest, EveryStepOfALongRunIsCountedOnceByItselfOrInTheRecap) {
  {
    RunJournal journal(path_, {}, Bytes{50'000});
    for (int i = 0; i < 5000; ++i) {
      journal.record(step_of(i));
      if (i % 100 == 99) {
        journal.record(ValidationDone{.step = i, .score = 1.0, .best = i < 1000});
      }
    }
  }

  const JournalContents contents = read_journal(path_).value();

  EXPECT_EQ(num_steps(contents), 5000);
  const std::vector<PastSteps> past = events_of<PastSteps>(contents);
  ASSERT_GE(past.size(), 100U);
  EXPECT_EQ(past.front().first, 0);
  EXPECT_DOUBLE_EQ(past.front().loss.high, 2);
  EXPECT_EQ(past.back().last + 1, events_of<StepRecord>(contents).front().step);
  EXPECT_EQ(events_of<ValidationDone>(contents).size(), 50U);
  EXPECT_EQ(contents.damaged_lines, 0);
}

TEST_F(JournalTest, TheSessionsOfALongRunAreInItsRecap) {
  for (int session = 0; session < 4; ++session) {
    RunJournal journal(path_, {.command = std::to_string(session)}, Bytes{30'000});
    journal.record(HostSample{.setup = nlohmann::json{{"online_cores", session}}});
    for (int i = 0; i < 500; ++i) {
      journal.record(step_of(400 * session + i));  // a hundred were done again
    }
    journal.record(ValidationDone{.step = 400 * session, .score = 1.0});
  }

  const JournalContents contents = read_journal(path_).value();

  EXPECT_EQ(events_of<ValidationDone>(contents).size(), 4U);
  EXPECT_EQ(events_of<PastSteps>(contents).front().first, 0);
  EXPECT_EQ(events_of<StepRecord>(contents).back().step, 1699);
  const std::vector<SessionStart> headers = events_of<SessionStart>(contents);
  EXPECT_EQ(headers.back().command, "3");
}

TEST_F(JournalTest, AWriterKilledWhileItCutsLeavesAJournalThatGoesOn) {
  {
    RunJournal journal(path_, {}, Bytes{50'000});
    for (int i = 0; i < 1000; ++i) {
      journal.record(step_of(i));
    }
  }
  std::filesystem::rename(path_, journal_after(path_));  // as between the two renames

  { RunJournal(path_).record(step_of(1000)); }

  EXPECT_EQ(num_steps(read_journal(path_).value()), 1001);
  EXPECT_FALSE(std::filesystem::exists(journal_after(path_)));
}

TEST_F(JournalTest, ACutThatIsRefusedLosesNothing) {
  std::filesystem::create_directories(journal_before(path_) / "in the way");

  {
    RunJournal journal(path_, {}, Bytes{10'000});
    for (int i = 0; i < 500; ++i) {
      journal.record(step_of(i));
    }
  }

  EXPECT_EQ(num_steps(read_journal(path_).value()), 500);
  EXPECT_FALSE(std::filesystem::exists(journal_after(path_)));
}

TEST_F(JournalTest, AStepTakesLittleSpace) {
  StepRecord step = step_of(123'456);
  step.losses = {.total = 3.0982307988172137,
                 .mel = 1.211496363804993,
                 .postnet_mel = 1.0,
                 .prior = 1.1339471060470496,
                 .forward_sum = 2.121913973845583,
                 .binarisation = 1.6813057840869414,
                 .duration = 2.58803826870199};
  step.phases = {.wait = Seconds{1.701e-05},
                 .forward = Seconds{0.027321612},
                 .loss = Seconds{0.000935897},
                 .backward = Seconds{0.050007947},
                 .optimizer = Seconds{0.008053435},
                 .residual = Seconds{4.89399e-06}};
  const std::string line = to_journal_line(Seconds{86400.560093}, step);

  EXPECT_LE(line.size(), 420U) << line;
  const StepRecord back = std::get<StepRecord>(read_journal_line(path_, line).value()->event);
  EXPECT_NEAR(back.losses.total, step.losses.total, 1e-6);
  EXPECT_NEAR(back.phases.total() / step.phases.total(), 1, 1e-5);
}

TEST_F(JournalTest, AFolderInItsPlaceIsNamed) {
  std::filesystem::create_directory(path_);

  const Result<JournalContents> contents = read_journal(path_);

  ASSERT_FALSE(contents.ok());
  EXPECT_NE(contents.failure().what.find("run.jsonl"), std::string::npos);
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
