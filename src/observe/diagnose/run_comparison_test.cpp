#include "diagnose/run_comparison.h"

#include <random>

#include <gtest/gtest.h>

#include "metrics/journal_testing.h"

namespace qanat {
namespace {

RunMeasures run_of(unsigned seed, double level, double variation = 0.02) {
  constexpr int kSteps = 200;
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> frames(300, 700);
  std::normal_distribution<double> noise(1, variation);
  RunSummary summary;
  for (int i = 0; i < kSteps; ++i) {
    const int length = frames(random);
    summary.add(StepRecord{.rows = 16,
                           .padded_frames = length,
                           .frames = std::int64_t{16} * length,
                           .phases = {.forward = Seconds(level * length * noise(random))}});
  }
  return measure_run(summary);
}

TEST(RunComparisonTest, TheSameSpeedIsNoChangeEvenWithOtherLengths) {
  EXPECT_EQ(compare_runs(run_of(1, 1e-4), run_of(2, 1e-4)).change, Change::none);
}

TEST(RunComparisonTest, ATenthSlowerIsARegression) {
  const RunComparison result = compare_runs(run_of(1, 1.1e-4), run_of(2, 1e-4));

  EXPECT_EQ(result.change, Change::slower);
  EXPECT_NEAR(result.ratio, 1 / 1.1, 0.01);
}

TEST(RunComparisonTest, RunsThatDoNotSayTheirFramesAreComparedByRows) {
  const auto of_rows = [](int rows, double seconds) {
    RunSummary summary;
    for (int i = 0; i < 60; ++i) {
      summary.add(
          StepRecord{.rows = rows, .phases = {.forward = Seconds(seconds + 1e-4 * (i % 3))}});
    }
    return measure_run(summary);
  };

  EXPECT_NEAR(compare_runs(of_rows(32, 0.1), of_rows(16, 0.1)).ratio, 2, 0.01);
  EXPECT_NEAR(compare_runs(of_rows(0, 0.1), of_rows(16, 0.2)).ratio, 2, 0.01);
}

TEST(RunComparisonTest, ATenthFasterIsNone) {
  EXPECT_EQ(compare_runs(run_of(1, 0.9e-4), run_of(2, 1e-4)).change, Change::faster);
}

TEST(RunComparisonTest, TwoPercentAreWithinTolerance) {
  EXPECT_EQ(compare_runs(run_of(1, 1.02e-4), run_of(2, 1e-4)).change, Change::none);
}

TEST(RunComparisonTest, ARunThatIsAsFastButLessSteadyIsSaidToBe) {
  const RunComparison result = compare_runs(run_of(1, 1e-4, 0.06), run_of(2, 1e-4, 0.02));

  EXPECT_EQ(result.change, Change::none);
  EXPECT_EQ(result.spread.change, Steadier::less_steady);
  EXPECT_NEAR(result.spread.ratio, 3, 1);
}

// A journal of 40 batches of 16 clips.
RunSummary journal_of(const std::string& data, int batch_size, int batches) {
  RunSummary summary;
  summary.add(entry_of(
      nlohmann::json{{"kind", "journal"},
                     {"config",
                      {{"data", {{"train_data", data}, {"batch_size", batch_size}}},
                       {"training", {{"checkpoint_dir", data + "/run"}, {"seed", batches}}}}}}));
  summary.add(entry_of(nlohmann::json{
      {"kind", "run"}, {"device", "cpu"}, {"cadences", {{"batches of an epoch", batches}}}}));
  return summary;
}

TEST(RunComparisonTest, RunsOfOneKindDoNotDifferByWhereTheyWrite) {
  RunSummary other = journal_of("a", 16, 40);
  other.config["training"]["checkpoint_dir"] = "elsewhere";

  EXPECT_TRUE(differences(journal_of("a", 16, 40), other).empty());
}

TEST(RunComparisonTest, AnotherDataSetIsSaidToBe) {
  const std::vector<Difference> found =
      differences(journal_of("a", 16, 40), journal_of("b", 16, 40));

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Difference{.key = "data.train_data", .now = "a", .before = "b"}));
  EXPECT_TRUE(found[0].is_of_data());
}

TEST(RunComparisonTest, AnEpochThatHasGrownIsAnotherDataSet) {
  const std::vector<Difference> found =
      differences(journal_of("a", 16, 50), journal_of("a", 16, 40));

  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].is_of_data());
}

TEST(RunComparisonTest, AnotherBatchSizeIsNoOtherDataSet) {
  const std::vector<Difference> found =
      differences(journal_of("a", 8, 80), journal_of("a", 16, 40));

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Difference{.key = "data.batch_size", .now = "8", .before = "16"}));
  EXPECT_FALSE(found[0].is_of_data());
}

TEST(RunComparisonTest, TheSameSteadinessIsNoChangeEvenWithOtherLengths) {
  EXPECT_EQ(compare_runs(run_of(1, 1e-4), run_of(2, 1e-4)).spread.change, Steadier::same);
}

}  // namespace
}  // namespace qanat
