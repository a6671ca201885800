#include "history/run_watch.h"

#include <fstream>

#include <gtest/gtest.h>

#include "history/run_sample.h"

namespace qanat {
namespace {

class RunWatchTest : public testing::Test {
 protected:
  RunWatchTest() { std::filesystem::remove(journal_); }

  void append(const nlohmann::json& line) {
    std::ofstream(journal_, std::ios::app) << line.dump() << '\n';
  }
  void append_steps(int from, int to) {
    for (int i = from; i < to; ++i) {
      append(line_of(sample_step(i), i));
    }
  }

  const std::filesystem::path journal_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("watch_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
       ".jsonl");
  Clock::time_point now_{};
  RunWatch watch_{journal_,
                  {.now = [this] { return now_; }, .cpu_time = [] { return Seconds{0}; }}};
};

TEST_F(RunWatchTest, TakesWhatHasCome) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 3);

  ASSERT_TRUE(watch_.update());
  EXPECT_EQ(watch_.snapshot().steps, 3);
  append_steps(3, 5);
  ASSERT_TRUE(watch_.update());

  EXPECT_EQ(watch_.snapshot().steps, 5);
  EXPECT_EQ(watch_.record().history.num_steps, 5);
  EXPECT_EQ(watch_.record().summary.steps.size(), 5U);
}

TEST_F(RunWatchTest, DiagnosesAgainOnlyAfterAPause) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 40);
  ASSERT_TRUE(watch_.update());
  EXPECT_EQ(watch_.diagnosis().measures.steps, 40U);

  append_steps(40, 60);
  ASSERT_TRUE(watch_.update());
  EXPECT_EQ(watch_.diagnosis().measures.steps, 40U) << "too soon";
  now_ += std::chrono::seconds(3);
  EXPECT_EQ(watch_.diagnosis().measures.steps, 60U);
}

TEST_F(RunWatchTest, TheEndIsDiagnosedAtOnce) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 40);
  ASSERT_TRUE(watch_.update());
  (void)watch_.diagnosis();

  append_steps(40, 41);
  append({{"kind", "ended"}, {"t", 5.0}, {"ending", "max_steps"}});
  ASSERT_TRUE(watch_.update());

  EXPECT_EQ(watch_.diagnosis().measures.steps, 41U);
}

TEST_F(RunWatchTest, WhatComesBetweenTheLastStepAndTheEndIsDiagnosed) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 40);
  ASSERT_TRUE(watch_.update());
  EXPECT_FALSE(watch_.diagnosis().measures.journal_share.has_value());

  append(line_of(TelemetryCost{.journal_seconds = 0.1}, 4.5));
  append({{"kind", "ended"}, {"t", 5.0}, {"ending", "max_steps"}});
  ASSERT_TRUE(watch_.update());

  EXPECT_TRUE(watch_.diagnosis().measures.journal_share.has_value());
}

TEST_F(RunWatchTest, SessionsBeforeTheOneThatMattersAreNotRead) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 40);
  const Bytes from{static_cast<std::int64_t>(std::filesystem::file_size(journal_))};
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(40, 45);
  RunWatch watch(journal_, {.from = from});

  const Result<JournalFollower::Progress> progress = watch.update();

  ASSERT_TRUE(progress);
  EXPECT_EQ(progress.value().lines, 6);
  EXPECT_EQ(watch.snapshot().steps, 5);
}

TEST_F(RunWatchTest, ASessionThatEndsWithoutAStepGivesWayToTheOneBefore) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 40);
  append({{"kind", "ended"}, {"t", 5.0}, {"ending", "max_steps"}});
  append({{"kind", "journal"}, {"t", 0.0}});
  ASSERT_TRUE(watch_.update());
  EXPECT_EQ(watch_.record().history.num_steps, 0) << "it may still make some";

  append({{"kind", "ended"}, {"t", 0.1}, {"ending", "max_steps"}});
  ASSERT_TRUE(watch_.update());

  EXPECT_EQ(watch_.record().history.num_steps, 40);
  EXPECT_EQ(watch_.diagnosis().measures.steps, 40U);
  EXPECT_EQ(watch_.snapshot().ending, "max_steps");
}

TEST_F(RunWatchTest, AJournalIsReadToItsLastSessionWithSteps) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 40);
  append({{"kind", "journal"}, {"t", 0.0}, {"device", "killed at once"}});
  append({{"kind", "journal"}, {"t", 0.0}, {"device", "killed too"}});

  const Result<RunRecord> record = read_run_record(journal_);

  ASSERT_TRUE(record);
  EXPECT_EQ(record.value().history.num_steps, 40);
  EXPECT_EQ(record.value().summary.steps.size(), 40U);
  EXPECT_FALSE(record.value().history.header.device.has_value());
}

TEST_F(RunWatchTest, ASessionOfAFewStepsGivesWayToTheNewestOneWithEnough) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 400);
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(400, 401);
  append({{"kind", "ended"}, {"t", 0.1}, {"ending", "max_steps"}});
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(401, 403);

  const RunRecord record = read_run_record(journal_).value();

  EXPECT_EQ(record.summary.num_steps(), 400);
  EXPECT_EQ(record.history.sessions, 1);
  EXPECT_EQ(record.history.sessions_after, 2);
  EXPECT_EQ(record.history.loss.bins().back().last, 402) << "what was learnt is told whole";
  EXPECT_NE(diagnose_run(record.summary).verdict, VerdictKind::incomplete);
}

TEST_F(RunWatchTest, OnlyTheLatestStepsAreHeld) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 200);
  RunWatch watch(journal_, {.most_steps = 50});

  ASSERT_TRUE(watch.update());

  EXPECT_EQ(watch.record().summary.steps.size(), 50U);
  EXPECT_EQ(watch.record().summary.steps.front().step, 150);
  EXPECT_EQ(watch.record().summary.num_steps(), 200);
  EXPECT_EQ(watch.record().history.num_steps, 200);
}

TEST_F(RunWatchTest, AJournalThatWasReadWholeIsSaidToBe) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 4000);
  // Lines at the beginning are not as long as the others: their number is overestimated.
  append({{"kind", "note"}, {"t", 0.1}, {"text", std::string(1 << 20, 'x')}});
  std::int64_t done = -1;
  std::int64_t total = -1;

  const auto told = [&](std::int64_t lines, std::int64_t of) {
    done = lines;
    total = of;
  };
  ASSERT_TRUE(read_run_record(journal_, told));

  EXPECT_GT(done, 4000);
  EXPECT_EQ(done, total);
}

TEST_F(RunWatchTest, TheSessionThatIsAskedForIsRead) {
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(0, 400);
  append({{"kind", "journal"}, {"t", 0.0}});
  append_steps(400, 401);
  append({{"kind", "ended"}, {"t", 0.1}, {"ending", "max_steps"}});
  append({{"kind", "journal"}, {"t", 0.0}});

  const RunRecord second = read_run_record(journal_, {}, {}, {}, 2).value();

  EXPECT_EQ(second.summary.num_steps(), 1);
  EXPECT_EQ(second.history.sessions, 2);
  EXPECT_EQ(second.history.sessions_after, 1);
  EXPECT_FALSE(read_run_record(journal_, {}, {}, {}, 3).ok()) << "it has no step";
  EXPECT_FALSE(read_run_record(journal_, {}, {}, {}, 4).ok());
}

}  // namespace
}  // namespace qanat
