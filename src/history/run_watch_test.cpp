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
  RunWatch watch_{journal_, [this] { return now_; }};
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

}  // namespace
}  // namespace qanat
