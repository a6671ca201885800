#include "diagnose/run_trace.h"

#include <fstream>

#include <gtest/gtest.h>

#include "metrics/journal.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

TEST(RunTraceTest, OnlyTheLastSessionCounts) {
  RunTrace trace;
  trace.add(entry_of(nlohmann::json{{"kind", "journal"}}));
  trace.add(StepRecord{.step = 1});
  trace.add(entry_of(nlohmann::json{{"kind", "journal"}}));
  trace.add(entry_of(nlohmann::json{{"kind", "run"}, {"cadences", {{"training.save_every", 50}}}}));
  trace.add(StepRecord{.step = 2});

  ASSERT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ(trace.steps.front().step, 2);
  EXPECT_EQ(trace.sessions, 2);
  EXPECT_EQ(trace.cadences.front().period, 50U);
}

TEST(RunTraceTest, VeryLongRunsKeepTheirEnd) {
  RunTrace trace;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(RunTrace::kMostSteps) + 5; ++i) {
    trace.add(StepRecord{.step = i});
  }

  EXPECT_EQ(trace.steps.size(), RunTrace::kMostSteps);
  EXPECT_EQ(trace.steps.front().step, 5);
  EXPECT_EQ(trace.steps_before, 5);
}

TEST(RunTraceTest, LinesOfAnyShapeAreTaken) {
  RunTrace trace;
  trace.add(entry_of(nlohmann::json{{"kind", 7}}));
  trace.add(entry_of(nlohmann::json{{"kind", "run"}, {"cadences", {{"x", "y"}}}}));

  EXPECT_EQ(trace.damaged_lines, 0);
  EXPECT_TRUE(trace.cadences.empty());
}

PipelineStats reading_after(int batches) {
  PipelineStats stats;
  stats.batches = batches;
  return stats;
}

TEST(RunTraceTest, ReadingsOfALongRunAreThinnedOutAndTheLastIsKept) {
  RunTrace trace;
  for (int i = 0; i < 1000; ++i) {
    trace.add(reading_after(i));
  }

  EXPECT_LE(trace.readings.size(), RunTrace::kMostReadings);
  EXPECT_GE(trace.readings.size(), RunTrace::kMostReadings / 2);
  EXPECT_EQ(trace.readings.front().batches, 0);
  EXPECT_EQ(trace.pipeline->batches, 999);
}

TEST(RunTraceTest, TheWayOfABatchIsTakenFromItsSlot) {
  RunTrace trace;
  trace.add(entry_of(nlohmann::json{{"kind", "slot"},
                                    {"work", 0.25},
                                    {"copy", {1.0, 1.5}},
                                    {"train", {1.75, 2.0}},
                                    {"bytes", 4096}}));
  trace.add(entry_of(nlohmann::json{{"kind", "slot"}, {"copy", "soon"}}));

  ASSERT_EQ(trace.slots.size(), 2U);
  EXPECT_EQ(trace.slots[0].work, Seconds{0.25});
  EXPECT_DOUBLE_EQ(length_of(trace.slots[0].copy), 0.5);
  EXPECT_EQ(trace.slots[0].bytes, Bytes{4096});
  EXPECT_DOUBLE_EQ(ready_time(trace.slots[0]), 0.25);
  EXPECT_FALSE(trace.slots[0].prepare.has_value());
  EXPECT_FALSE(trace.slots[1].copy.has_value());
}

TEST(RunTraceTest, AFileThatGoesOnIsTheSameSession) {
  RunTrace trace;
  trace.add({.event = SessionStart{}});
  trace.add({.event = SlotRecord{.batch = 0}});
  trace.add({.event = SessionStart{.continues = true}});
  trace.add({.event = SlotRecord{.batch = 1}});

  EXPECT_EQ(trace.sessions, 1);
  EXPECT_EQ(trace.slots.size(), 2U);
}

class JournalOfARun : public testing::Test {
 protected:
  JournalOfARun() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("run_trace_test_") + test->name() + ".jsonl");
    std::filesystem::remove(path_);
    std::filesystem::remove(journal_before(path_));
  }
  ~JournalOfARun() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(journal_before(path_));
  }

  std::filesystem::path path_;
};

using RunTraceFileTest = JournalOfARun;

TEST_F(RunTraceFileTest, AKilledRunIsReadUpToItsLastWholeLine) {
  {
    RunJournal journal(path_);
    for (int i = 0; i < 30; ++i) {
      journal.record(StepRecord{.step = i});
    }
    journal.record(reading_after(30));
  }
  std::ofstream(path_, std::ios::app) << R"({"kind":"step","step":30,"ep)";

  const RunTrace trace = read_run_trace(path_).value();

  EXPECT_EQ(trace.steps.size(), 30U);
  EXPECT_EQ(trace.pipeline->batches, 30);
  EXPECT_EQ(trace.damaged_lines, 0);
  EXPECT_FALSE(trace.ended);
}

TEST_F(RunTraceFileTest, ALongRunInTwoFilesIsOneSession) {
  {
    RunJournal journal(path_, {}, Bytes{20'000});
    journal.record(RunStart{.mode = "single", .allowed_cores = 8});
    for (int i = 0; i < 500; ++i) {
      journal.record(StepRecord{.step = i});
    }
  }

  const RunTrace trace = read_run_trace(path_).value();

  EXPECT_EQ(trace.sessions, 1);
  EXPECT_EQ(trace.run.allowed_cores, 8);
  EXPECT_EQ(trace.steps.back().step, 499);
  EXPECT_EQ(trace.steps.back().step - trace.steps.front().step + 1,
            static_cast<std::int64_t>(trace.steps.size()));
}

TEST_F(RunTraceFileTest, AStepWithoutAllItsFieldsIsDamaged) {
  std::ofstream(path_) << R"({"kind":"journal","t":0.0,"format":1})"
                       << "\n"
                       << R"({"kind":"step","t":1.0,"step":7})"
                       << "\n"
                       << line_of(StepRecord{.step = 8}, 2.0).dump() << "\n";

  const RunTrace trace = read_run_trace(path_).value();

  EXPECT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ(trace.damaged_lines, 1);
}

}  // namespace
}  // namespace qanat
