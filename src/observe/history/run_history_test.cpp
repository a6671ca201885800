#include "history/run_history.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/diagnosis.h"
#include "diagnose/ranks_testing.h"
#include "history/long_run_testing.h"
#include "history/run_sample.h"
#include "history/run_watch.h"

namespace qanat {
namespace {

using testing::DoubleNear;

TEST(RunHistoryTest, AnOlderJournalHasTheLossOfAValidationAsItsScore) {
  RunHistory history;
  history.add(entry_of({{"kind", "validation"}, {"t", 1.0}, {"step", 5}, {"score", 1.25}}));
  history.add(
      entry_of({{"kind", "validation"}, {"t", 2.0}, {"step", 9}, {"loss", 1.5}, {"score", 0.5}}));

  ASSERT_EQ(history.validations.size(), 2U);
  EXPECT_EQ(history.validations[0].loss, 1.25);
  EXPECT_EQ(history.validations[0].score, std::nullopt);
  EXPECT_EQ(history.validations[1].loss, 1.5);
  EXPECT_EQ(history.validations[1].score, 0.5);
}

TEST(RunHistoryTest, ANewSessionForgetsTimesAndKeepsWhatWasLearnt) {
  RunHistory history;
  for (const nlohmann::json& line : sample_journal(50)) {
    history.add(entry_of(line));
  }
  history.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  history.add({.at = Seconds{0.1}, .event = sample_step(50)});

  EXPECT_EQ(history.sessions, 2);
  EXPECT_EQ(history.num_steps, 1);
  EXPECT_EQ(history.step_seconds.bins().size(), 1U);
  EXPECT_EQ(history.loss.bins().size(), 51U);
}

TEST(RunHistoryTest, TrainingFromScratchForgetsWhatWasLearnt) {
  RunHistory history;
  for (const nlohmann::json& line : sample_journal(50)) {
    history.add(entry_of(line));
  }
  history.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  history.add({.at = Seconds{0.1}, .event = sample_step(0)});

  EXPECT_EQ(history.loss.bins().size(), 1U);
  EXPECT_TRUE(history.validations.empty());
}

TEST(RunHistoryTest, TheFirstRenderAndTheNewestAreKept) {
  RunHistory history;
  for (int step = 1; step <= 20; ++step) {
    history.add(entry_of({{"kind", "render"},
                          {"t", 1.0},
                          {"step", step},
                          {"folder", fmt::format("renders/step-{:09}", step)},
                          {"sentences", {{{"text", "a"}, {"seconds", 1.0}}}}}));
  }
  history.add(entry_of({{"kind", "render"},
                        {"t", 1.0},
                        {"step", 21},
                        {"folder", "renders/..\"><script>"},
                        {"sentences", nlohmann::json::array()}}));

  ASSERT_EQ(history.renders.size(), RunHistory::kMaxRenders);
  EXPECT_EQ(history.renders.front().step, 1);
  EXPECT_EQ(history.renders.back().step, 20) << "the last one is no folder of ours";
}

TEST(RunHistoryTest, LengthsBeyondTheRoomJoinTheirNeighbours) {
  RunHistory history;
  history.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  for (int i = 0; i < 500; ++i) {
    StepRecord step = sample_step(i);
    step.padded_frames = 100 + i;
    history.add({.at = Seconds(i), .event = step});
  }

  std::int64_t batches = 0;
  for (const auto& [length, bin] : history.lengths) {
    batches += bin.batches;
  }
  EXPECT_LE(history.lengths.size(), RunHistory::kMaxLengths);
  EXPECT_EQ(batches, 500);
}

TEST(RunHistoryTest, GpusKeepTheirNamesAndClocks) {
  RunHistory history;
  history.add(entry_of(
      {{"kind", "devices"},
       {"t", 0.0},
       {"setup",
        {{"driver", "1"}, {"gpus", {{{"name", "RTX"}}}}, {"pairs", nlohmann::json::array()}}}}));
  history.add(entry_of(
      {{"kind", "devices"},
       {"t", 1.0},
       {"samples", {{{"kernels_resident", 0.5}, {"clock", 2e9}, {"memory_used", nullptr}}}}}));

  const DeviceHistory& gpu = history.devices.at("GPU 0 RTX");
  EXPECT_EQ(gpu.clock.bins().front().mean(), 2e9);
  EXPECT_EQ(gpu.busy.bins().front().mean(), 0.5);
  EXPECT_TRUE(gpu.memory.empty()) << "unknown is not zero";
}

TEST(RunHistoryTest, BusyTimeOfDevicesBecomesShares) {
  RunHistory history;
  for (const double busy : {0.0, 0.5, 1.5}) {
    PipelineStats stats;
    stats.devices = {{.name = "virtual:0", .busy = Seconds{busy / 2}, .memory = Bytes{1000}}};
    history.add({.at = Seconds{1 + busy}, .event = stats});
    history.add({.at = Seconds{1 + busy}, .event = StepRecord{}});
  }

  const DeviceHistory& device = history.devices.at("virtual:0");
  ASSERT_EQ(device.busy.bins().size(), 2U);
  EXPECT_THAT(device.busy.bins()[1].mean(), DoubleNear(0.5, 1e-9));
  EXPECT_EQ(device.memory.bins()[0].mean(), 1000);
}

class RankJournalsTest : public testing::Test {
 protected:
  RankJournalsTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  RankJournalsTest(const RankJournalsTest&) = delete;
  RankJournalsTest& operator=(const RankJournalsTest&) = delete;
  ~RankJournalsTest() override { std::filesystem::remove_all(folder_); }

  // A journal for each rank, as far as `journals` goes.
  void write(const RunSummary& first, std::size_t journals) const {
    for (std::size_t rank = 0; rank < journals; ++rank) {
      const RunSummary& summary = rank == 0 ? first : first.others[rank - 1];
      RunJournal journal(journal_of_rank(path(), static_cast<int>(rank)));
      journal.record(summary.run);
      for (const StepRecord& step : summary.steps) {
        journal.record(step);
      }
    }
  }
  std::filesystem::path path() const { return folder_ / "journal.jsonl"; }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("ranks_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(RankJournalsTest, AreReadTogetherWithTheOneOfRankZero) {
  write(make_ranks({.slow_rank = 2, .slow_data = 0.02}), 4);

  const Result<RunRecord> record = read_run_record(path());

  ASSERT_TRUE(record);
  EXPECT_EQ(record.value().summary.others.size(), 3U);
  const Diagnosis diagnosis = diagnose_run(record.value().summary);
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().id, "RNK001");
}

TEST_F(RankJournalsTest, OneThatIsMissingLeavesRankZeroAlone) {
  write(make_ranks({}), 3);

  const Result<RunRecord> record = read_run_record(path());

  ASSERT_TRUE(record);
  EXPECT_TRUE(record.value().summary.others.empty());
}

// The run goes on with two of four: what the other two did before is not compared.
TEST_F(RankJournalsTest, RanksOfAnEarlierSessionAreNotRead) {
  write(make_ranks({}), 4);
  write(make_ranks({.world = 2}), 2);

  EXPECT_EQ(read_run_record(path()).value().summary.others.size(), 1U);
}

// A run of many ranks has as many journals: of a long one the beginning and the newest are enough.
TEST_F(RankJournalsTest, OfLongOnesTheEndsAreRead) {
  for (const int rank : {0, 1}) {
    const std::filesystem::path file = journal_of_rank(path(), rank);
    RunJournal journal(file);
    journal.record(RunStart{.allowed_cores = 4 + rank, .rank = rank, .world = 2});
    const auto record = [&](int first, int last) {
      for (int i = first; i < last; ++i) {
        journal.record(step_of_long_run(i));
      }
    };
    const auto fill = [&](Bytes size) {
      std::ofstream(file, std::ios::app)
          << R"({"kind":"note","text":")" << std::string(static_cast<std::size_t>(size.value), 'x')
          << "\"}\n";
    };
    record(0, 100);
    fill(mebibytes(2));  // more than the beginning that is read
    record(100, 200);
    fill(mebibytes(3));  // and more than the end
    fill(mebibytes(3));
    record(200, 300);
  }

  const RunSummary summary = read_run_record(path()).value().summary;

  EXPECT_EQ(summary.num_steps(), 300);
  ASSERT_EQ(summary.others.size(), 1U);
  const RunSummary& other = summary.others[0];
  EXPECT_EQ(other.num_steps(), 200);
  EXPECT_EQ(other.steps.back().step, 299);
  EXPECT_EQ(other.run.allowed_cores, 5);
  EXPECT_EQ(other.damaged_lines, 0);
}

TEST_F(RankJournalsTest, AreFollowedTogether) {
  write(make_ranks({.slow_rank = 1, .slow_compute = 0.02}), 4);
  RunWatch watch(path());

  ASSERT_TRUE(watch.update());

  ASSERT_TRUE(watch.diagnosis().measures.ranks);
  EXPECT_EQ(watch.diagnosis().measures.ranks->steps, watch.diagnosis().measures.steady.size());
  EXPECT_EQ(watch.diagnosis().findings.front().id, "RNK001");
}

TEST_F(RankJournalsTest, OneThatComesLaterIsFollowedThen) {
  const RunSummary run = make_ranks({.world = 2});
  write(run, 1);
  Clock::time_point now{};
  RunWatch watch(path(), {.now = [&now] { return now; }, .cpu_time = [] { return Seconds{0}; }});
  ASSERT_TRUE(watch.update());
  EXPECT_FALSE(watch.diagnosis().measures.ranks->is_complete());

  write(run, 2);  // rank 0 begins another session, and rank 1 its first
  now += std::chrono::minutes(5);
  ASSERT_TRUE(watch.update());

  EXPECT_TRUE(watch.diagnosis().measures.ranks->is_complete());
}

// However long the run saves behind its last step.
TEST(DeviceHistoryTest, WhatComesBehindTheLastStepIsNoShare) {
  DeviceHistory device;
  for (int i = 0; i <= 10; ++i) {
    device.add_busy(2.0 * i, 1.8 * i);
    device.add_step();
  }

  device.add_busy(21.5, 18.5);  // the last step was done at 20.6

  ASSERT_EQ(device.busy.bins().size(), 10U);
  EXPECT_NEAR(device.busy.bins().back().mean(), 0.9, 1e-9);
}

// What a validation takes in the middle of a run is part of it.
TEST(DeviceHistoryTest, ReadingsWithoutAStepBetweenThemCountTogether) {
  DeviceHistory device;
  device.add_busy(0, 0);
  device.add_step();
  device.add_busy(2, 1.8);
  device.add_busy(4, 1.8);

  device.add_step();

  ASSERT_EQ(device.busy.bins().size(), 1U);
  EXPECT_NEAR(device.busy.bins().back().mean(), 0.45, 1e-9);
}

TEST(RunHistoryTest, TheLimitOfReadyBatchesIsKeptAsItWasAtEachTime) {
  RunHistory history;
  PipelineStats stats = sample_pipeline(3);
  history.add({.at = Seconds{1}, .event = stats});
  stats.ready.capacity = 16;
  history.add({.at = Seconds{2}, .event = stats});

  ASSERT_EQ(history.ready_limit.bins().size(), 2U);
  EXPECT_EQ(history.ready_limit.bins()[0].mean(), 8);
  EXPECT_EQ(history.ready_limit.bins()[1].mean(), 16);
}

}  // namespace
}  // namespace qanat
