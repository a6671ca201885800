#include "diagnose/run_trace.h"

#include <fstream>

#include <gtest/gtest.h>

#include "metrics/journal.h"
#include "metrics/pipeline_record.h"

namespace qanat {
namespace {

TEST(RunTraceTest, OnlyTheLastSessionCounts) {
  RunTrace trace;
  trace.add(nlohmann::json{{"kind", "journal"}});
  trace.add(StepRecord{.step = 1});
  trace.add(nlohmann::json{{"kind", "journal"}});
  trace.add(nlohmann::json{{"kind", "run"}, {"cadences", {{"training.save_every", 50}}}});
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
  trace.add(nlohmann::json{{"kind", 7}});
  trace.add(nlohmann::json{{"kind", "step"}});
  trace.add(nlohmann::json{{"kind", "run"}, {"cadences", {{"x", "y"}}}});

  EXPECT_EQ(trace.damaged_lines, 1);
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
  trace.add(nlohmann::json{{"kind", "slot"},
                           {"work", 0.25},
                           {"copy", {1.0, 1.5}},
                           {"train", {1.75, 2.0}},
                           {"bytes", 4096}});
  trace.add(nlohmann::json{{"kind", "slot"}, {"copy", "soon"}});

  ASSERT_EQ(trace.ways.size(), 2U);
  EXPECT_DOUBLE_EQ(trace.ways[0].work, 0.25);
  EXPECT_DOUBLE_EQ(trace.ways[0].copy, 0.5);
  EXPECT_DOUBLE_EQ(trace.ways[0].bytes, 4096);
  EXPECT_DOUBLE_EQ(trace.ways[0].ready, 0.25);
  EXPECT_DOUBLE_EQ(trace.ways[1].copy, 0);
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
      journal.record(to_event(StepRecord{.step = i}));
    }
    journal.record(to_event(reading_after(30)));
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
    RunJournal journal(path_, nlohmann::json::object(), Bytes{20'000});
    journal.record({.kind = "run", .fields = {{"mode", "single"}, {"allowed_cores", 8}}});
    for (int i = 0; i < 500; ++i) {
      journal.record(to_event(StepRecord{.step = i}));
    }
  }

  const RunTrace trace = read_run_trace(path_).value();

  EXPECT_EQ(trace.sessions, 1);
  EXPECT_EQ(trace.run.at("allowed_cores"), 8);
  EXPECT_EQ(trace.steps.back().step, 499);
  EXPECT_EQ(trace.steps.back().step - trace.steps.front().step + 1,
            static_cast<std::int64_t>(trace.steps.size()));
}

}  // namespace
}  // namespace qanat
