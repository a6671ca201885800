#include "diagnose/run_summary.h"

#include <fstream>

#include <gtest/gtest.h>

#include "metrics/journal.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

TEST(RunSummaryTest, OnlyTheLastSessionCounts) {
  RunSummary summary;
  summary.add(entry_of(nlohmann::json{{"kind", "journal"}}));
  summary.add(StepRecord{.step = 1});
  summary.add(entry_of(nlohmann::json{{"kind", "journal"}}));
  summary.add(
      entry_of(nlohmann::json{{"kind", "run"}, {"cadences", {{"training.save_every", 50}}}}));
  summary.add(StepRecord{.step = 2});

  ASSERT_EQ(summary.steps.size(), 1U);
  EXPECT_EQ(summary.steps.front().step, 2);
  EXPECT_EQ(summary.sessions, 2);
  EXPECT_EQ(summary.cadences.front().period, 50U);
}

TEST(RunSummaryTest, VeryLongRunsKeepTheirEnd) {
  RunSummary summary;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(RunSummary::kMaxSteps) + 5; ++i) {
    summary.add(StepRecord{.step = i});
  }

  EXPECT_EQ(summary.steps.size(), RunSummary::kMaxSteps);
  EXPECT_EQ(summary.steps.front().step, 5);
  EXPECT_EQ(summary.steps_before, 5);
}

TEST(RunSummaryTest, LinesOfAnyShapeAreTaken) {
  RunSummary summary;
  summary.add(entry_of(nlohmann::json{{"kind", 7}}));
  summary.add(entry_of(nlohmann::json{{"kind", "run"}, {"cadences", {{"x", "y"}}}}));

  EXPECT_EQ(summary.damaged_lines, 0);
  EXPECT_TRUE(summary.cadences.empty());
}

PipelineStats reading_after(int batches) {
  PipelineStats stats;
  stats.batches = batches;
  return stats;
}

TEST(RunSummaryTest, ReadingsOfALongRunAreThinnedOutAndTheLastIsKept) {
  RunSummary summary;
  for (int i = 0; i < 1000; ++i) {
    summary.add(reading_after(i));
  }

  EXPECT_LE(summary.readings.size(), RunSummary::kMaxReadings);
  EXPECT_GE(summary.readings.size(), RunSummary::kMaxReadings / 2);
  EXPECT_EQ(summary.readings.front().batches, 0);
  EXPECT_EQ(summary.pipeline->batches, 999);
}

TEST(RunSummaryTest, TheTimelineOfABatchIsTakenFromItsSlot) {
  RunSummary summary;
  summary.add(entry_of(nlohmann::json{{"kind", "slot"},
                                      {"work", 0.25},
                                      {"copy", {1.0, 1.5}},
                                      {"train", {1.75, 2.0}},
                                      {"bytes", 4096}}));
  summary.add(entry_of(nlohmann::json{{"kind", "slot"}, {"copy", "soon"}}));

  ASSERT_EQ(summary.slots.size(), 2U);
  EXPECT_EQ(summary.slots[0].work, Seconds{0.25});
  EXPECT_DOUBLE_EQ(length_of(summary.slots[0].copy), 0.5);
  EXPECT_EQ(summary.slots[0].bytes, Bytes{4096});
  EXPECT_DOUBLE_EQ(ready_time(summary.slots[0]), 0.25);
  EXPECT_FALSE(summary.slots[0].prepare.has_value());
  EXPECT_FALSE(summary.slots[1].copy.has_value());
}

TEST(RunSummaryTest, AFileThatGoesOnIsTheSameSession) {
  RunSummary summary;
  summary.add({.event = SessionStart{}});
  summary.add({.event = SlotRecord{.batch = 0}});
  summary.add({.event = SessionStart{.continues = true}});
  summary.add({.event = SlotRecord{.batch = 1}});

  EXPECT_EQ(summary.sessions, 1);
  EXPECT_EQ(summary.slots.size(), 2U);
}

class JournalOfARun : public testing::Test {
 protected:
  JournalOfARun() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("run_summary_test_") + test->name() + ".jsonl");
    std::filesystem::remove(path_);
    std::filesystem::remove(journal_before(path_));
  }
  JournalOfARun(const JournalOfARun&) = delete;
  JournalOfARun& operator=(const JournalOfARun&) = delete;
  ~JournalOfARun() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(journal_before(path_));
  }

  std::filesystem::path path_;
};

using RunSummaryFileTest = JournalOfARun;

TEST_F(RunSummaryFileTest, AKilledRunIsReadUpToItsLastWholeLine) {
  {
    RunJournal journal(path_);
    for (int i = 0; i < 30; ++i) {
      journal.record(StepRecord{.step = i});
    }
    journal.record(reading_after(30));
  }
  std::ofstream(path_, std::ios::app) << R"({"kind":"step","step":30,"ep)";

  const RunSummary summary = read_run_summary(path_).value();

  EXPECT_EQ(summary.steps.size(), 30U);
  EXPECT_EQ(summary.pipeline->batches, 30);
  EXPECT_EQ(summary.damaged_lines, 0);
  EXPECT_FALSE(summary.ending);
}

TEST_F(RunSummaryFileTest, ALongRunInTwoFilesIsOneSession) {
  {
    RunJournal journal(path_, {}, Bytes{20'000});
    journal.record(RunStart{.mode = "single", .allowed_cores = 8});
    for (int i = 0; i < 500; ++i) {
      journal.record(StepRecord{.step = i});
    }
  }

  const RunSummary summary = read_run_summary(path_).value();

  EXPECT_EQ(summary.sessions, 1);
  EXPECT_EQ(summary.run.allowed_cores, 8);
  EXPECT_EQ(summary.steps.back().step, 499);
  EXPECT_EQ(summary.steps.back().step - summary.steps.front().step + 1,
            static_cast<std::int64_t>(summary.steps.size()));
}

TEST_F(RunSummaryFileTest, AStepWithoutAllItsFieldsIsDamaged) {
  std::ofstream(path_) << R"({"kind":"journal","t":0.0,"format":1})"
                       << "\n"
                       << R"({"kind":"step","t":1.0,"step":7})"
                       << "\n"
                       << line_of(StepRecord{.step = 8}, 2.0).dump() << "\n";

  const RunSummary summary = read_run_summary(path_).value();

  EXPECT_EQ(summary.steps.size(), 1U);
  EXPECT_EQ(summary.damaged_lines, 1);
}

}  // namespace
}  // namespace qanat
