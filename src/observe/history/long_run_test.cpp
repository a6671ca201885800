// What is left of a run that filled its journal many times. Slow: writes 200,000 steps.
#include <filesystem>

#include <gtest/gtest.h>

#include "diagnose/diagnosis.h"
#include "history/long_run_testing.h"
#include "history/run_history.h"

namespace qanat {
namespace {

class LongRunTest : public testing::Test {
 protected:
  LongRunTest() { std::filesystem::create_directories(folder_); }
  LongRunTest(const LongRunTest&) = delete;
  LongRunTest& operator=(const LongRunTest&) = delete;
  ~LongRunTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("long_run_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::path path_ = folder_ / "journal.jsonl";
};

void expect_whole(const RunRecord& record, std::int64_t steps) {
  const RunHistory& history = record.history;
  EXPECT_EQ(record.summary.damaged_lines, 0);
  ASSERT_TRUE(record.summary.gpus && record.summary.gpus->setup);
  EXPECT_GT(record.summary.gpus->gpus.at(0).samples, 100);
  ASSERT_TRUE(record.summary.host);
  EXPECT_TRUE(record.summary.host->setup.online_cores);
  EXPECT_EQ(record.summary.cuda_devices.size(), 1U);
  EXPECT_EQ(record.summary.trained_by, TrainedBy::torch);
  EXPECT_EQ(record.summary.config.value("seed", 0), 7);
  EXPECT_EQ(history.last_step, steps - 1);
  EXPECT_EQ(history.loss.bins().front().first, 0);
  EXPECT_NEAR(history.loss.bins().front().content.high, 4, 0.1);
  EXPECT_GE(history.loss.bins().size(), 200U);
  // No part of the run has more of the curve than another.
  EXPECT_NEAR(history.loss.bins()[history.loss.bins().size() / 2].first,
              static_cast<double>(steps) / 2,
              static_cast<double>(steps) / 50);
  EXPECT_EQ(history.validations.front().step, 999);
  EXPECT_EQ(history.validations.back().step, steps - 1);
  EXPECT_EQ(history.renders.front().step, 9999);
}

TEST_F(LongRunTest, ItsSetupValidationsAndEveryStepAreKept) {
  constexpr std::int64_t kSteps = 200'000;
  {
    RunJournal journal(
        path_, {.trainer = "torch", .config = nlohmann::json{{"seed", 7}}}, mebibytes(8));
    record_long_run(journal, {.steps = kSteps});
  }

  const RunRecord record = read_run_record(path_).value();

  expect_whole(record, kSteps);
  EXPECT_EQ(record.history.num_steps, kSteps);
  EXPECT_EQ(record.summary.num_steps(), kSteps);
  EXPECT_EQ(record.history.validations.size(), 200U);
}

TEST_F(LongRunTest, SoAreThoseOfItsSessions) {
  constexpr std::int64_t kSteps = 50'000;
  for (int session = 0; session < 4; ++session) {
    RunJournal journal(
        path_, {.trainer = "torch", .config = nlohmann::json{{"seed", 7}}}, mebibytes(8));
    record_long_run(journal, {.first = session * kSteps, .steps = kSteps});
  }

  const RunRecord record = read_run_record(path_).value();

  expect_whole(record, 4 * kSteps);
  EXPECT_EQ(record.history.num_steps, kSteps);
}

}  // namespace
}  // namespace qanat
