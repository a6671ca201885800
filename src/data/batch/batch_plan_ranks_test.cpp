// Plans of several ranks.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "batch/batch_plan.h"
#include "batch/sample_lengths.h"
#include "batch/test_plans.h"

namespace qanat {
namespace {

// {utterances, ranks}
class BatchPlanRanksTest : public testing::TestWithParam<std::pair<std::size_t, int>> {
 protected:
  std::vector<BatchPlan> plans() const {
    std::vector<BatchPlan> plans;
    plans.reserve(static_cast<std::size_t>(GetParam().second));
    for (int rank = 0; rank < GetParam().second; ++rank) {
      plans.push_back(plan_epoch(set_.request(0, rank, GetParam().second)));
    }
    return plans;
  }

  const PlanSet set_{sample_lengths(GetParam().first)};
};

TEST_P(BatchPlanRanksTest, TogetherTheRanksHaveTheSetOfOneRank) {
  std::vector<std::uint32_t> items;
  for (const BatchPlan& plan : plans()) {
    const std::vector<std::uint32_t> part = items_of(plan);
    items.insert(items.end(), part.begin(), part.end());
  }

  EXPECT_EQ(sorted(items), first_numbers(GetParam().first));
}

TEST_P(BatchPlanRanksTest, EveryRankHasAsManyBatchesAndNoneIsEmpty) {
  const std::vector<BatchPlan> all = plans();

  for (const BatchPlan& plan : all) {
    ASSERT_EQ(plan.size(), all[0].size());
    for (std::int64_t k = 0; k < plan.size(); ++k) {
      EXPECT_FALSE(plan.batch(k).items.empty());
    }
  }
}

TEST_P(BatchPlanRanksTest, TheRanksHaveTheRowsOfOneRankOneAfterTheOther) {
  const BatchPlan alone = plan_epoch(set_.request());
  const std::vector<BatchPlan> all = plans();

  ASSERT_EQ(all[0].size(), alone.size());
  for (std::int64_t k = 0; k < alone.size(); ++k) {
    std::vector<std::uint32_t> rows;
    for (const BatchPlan& plan : all) {
      const BatchSpec part = plan.batch(k);
      rows.insert(rows.end(), part.items.begin(), part.items.end());
      EXPECT_EQ(part.bucket, alone.batch(k).bucket);
      EXPECT_EQ(part.shape.frames, alone.batch(k).shape.frames);
    }
    EXPECT_TRUE(std::ranges::equal(rows, alone.batch(k).items));
  }
}

// Rows 2i and 2i + 1 are references of each other: the same ones for any number of ranks.
TEST(BatchPlanTest, RanksWithAnEvenShareDoNotSplitAPair) {
  const PlanSet set(sample_lengths(1003), {.batch_size = 16});
  const BatchPlan alone = plan_epoch(set.request());
  for (const int world : {2, 4}) {
    for (std::int64_t k = 0; k < alone.size(); ++k) {
      std::size_t before = 0;
      for (int rank = 0; rank < world; ++rank) {
        EXPECT_EQ(before % 2, 0U) << "batch " << k << " of " << alone.batch(k).items.size();
        before += plan_epoch(set.request(0, rank, world)).batch(k).items.size();
      }
    }
  }
}

TEST_P(BatchPlanRanksTest, NoRankHasMoreThanItsEdgesHaveRoomFor) {
  const BucketEdges edges = edges_of_a_rank(set_.edges, GetParam().second);

  for (const BatchPlan& plan : plans()) {
    for (std::int64_t k = 0; k < plan.size(); ++k) {
      const BatchSpec part = plan.batch(k);
      EXPECT_LE(part.shape.rows, edges[static_cast<std::size_t>(part.bucket)].rows);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds,
                         BatchPlanRanksTest,
                         testing::Values(std::pair{1003, 1},
                                         std::pair{1003, 2},
                                         std::pair{1003, 3},
                                         std::pair{1003, 8},
                                         std::pair{160, 10},
                                         std::pair{40, 8},
                                         std::pair{17, 8},
                                         std::pair{9, 8}));

// Runs an epoch that one number of ranks after another goes on with: `worlds` names them, each for
// so many batches.
std::vector<std::uint32_t> items_of_worlds(
    const PlanSet& set, const std::vector<std::pair<int, std::int64_t>>& worlds) {
  std::vector<std::uint32_t> items;
  std::int64_t position = 0;
  for (const auto& [world, batches] : worlds) {
    std::int64_t end = position;
    for (int rank = 0; rank < world; ++rank) {
      const BatchPlan plan = plan_epoch(set.request(0, rank, world));
      end = std::min(plan.size(), position + batches);
      for (std::int64_t k = position; k < end; ++k) {
        const BatchSpec part = plan.batch(k);
        items.insert(items.end(), part.items.begin(), part.items.end());
      }
    }
    position = end;
  }
  return items;
}

class ChangingWorldTest : public testing::TestWithParam<std::size_t> {};  // utterances

TEST_P(ChangingWorldTest, AnEpochHasEveryUtteranceOnceWhereverTheNumberOfRanksChanges) {
  const PlanSet set(sample_lengths(GetParam()));
  const std::int64_t size = plan_epoch(set.request()).size();

  for (std::int64_t first = 0; first <= size; first += 1 + size / 7) {
    for (std::int64_t second = 0; second <= size; second += 1 + size / 5) {
      EXPECT_EQ(sorted(items_of_worlds(set, {{2, first}, {1, second}, {4, 3}, {8, size}})),
                first_numbers(GetParam()))
          << first << " " << second;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, ChangingWorldTest, testing::Values(1003, 161, 160, 49, 33, 17));

// The share of the ranks' time that they do not wait for the one with the most to do.
double rank_efficiency(const PlanSet& set, int world) {
  std::vector<double> longest;
  double work = 0;
  for (int rank = 0; rank < world; ++rank) {
    const BatchPlan plan = plan_epoch(set.request(0, rank, world));
    longest.resize(static_cast<std::size_t>(plan.size()));
    for (std::int64_t k = 0; k < plan.size(); ++k) {
      const BatchShape shape = plan.batch(k).shape;
      const double frames = static_cast<double>(shape.rows) * shape.frames;
      work += frames;
      longest[static_cast<std::size_t>(k)] = std::max(longest[static_cast<std::size_t>(k)], frames);
    }
  }
  return work / (world * std::accumulate(longest.begin(), longest.end(), 0.0));
}

// {utterances, ranks}: of LJSpeech and of a small set; 16 rows for each rank
class RankEfficiencyTest : public testing::TestWithParam<std::pair<std::size_t, int>> {
 protected:
  const PlanSet set_{sample_lengths(GetParam().first), {.batch_size = 16 * GetParam().second}};
};

TEST_P(RankEfficiencyTest, RanksAreEquallyBusyAndPadAtMostFivePercent) {
  EXPECT_GE(rank_efficiency(set_, GetParam().second), 0.97);
  EXPECT_LE(padding_share(plan_epoch(set_.request()), set_.lengths), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Worlds,
                         RankEfficiencyTest,
                         testing::Values(std::pair{13100, 2},
                                         std::pair{13100, 4},
                                         std::pair{13100, 8},
                                         std::pair{2000, 2},
                                         std::pair{2000, 4},
                                         std::pair{2000, 8}));

TEST(BatchPlanTest, APartOfABatchIsNoLongerThanItsRowsWithAShapePerBatch) {
  const PlanSet set(sample_lengths(500), {.shapes = ShapePolicy::per_batch});
  const BatchPlan plan = plan_epoch(set.request(0, 1, 4));

  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const BatchSpec part = plan.batch(k);
    std::uint32_t longest = 0;
    for (const std::uint32_t item : part.items) {
      longest = std::max(longest, set.lengths[item].frames);
    }
    EXPECT_EQ(static_cast<std::uint32_t>(part.shape.frames), longest);
  }
}

class LastBatchTest : public testing::TestWithParam<std::size_t> {};  // utterances

// 16 rows for each: no rank goes without rows of its own, up to 8 of them.
TEST_P(LastBatchTest, AShortBatchHasAtLeastHalfTheRows) {
  const PlanSet set(sample_lengths(GetParam()));
  const BatchPlan plan = plan_epoch(set.request());

  int short_batches = 0;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    EXPECT_GE(plan.batch(k).shape.rows, 8);
    short_batches += plan.batch(k).shape.rows < 16 ? 1 : 0;
  }
  EXPECT_EQ(plan.size(), static_cast<std::int64_t>((GetParam() + 15) / 16));
  EXPECT_LE(short_batches, 2);
  EXPECT_EQ(sorted(items_of(plan)), first_numbers(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Leftovers, LastBatchTest, testing::Values(161, 163, 167, 168, 175, 17));

TEST(BatchPlanTest, AShortBatchKeepsTheFrameBudget) {
  for (std::size_t utterances = 100; utterances < 200; ++utterances) {
    const PlanSet set(sample_lengths(utterances), {.frame_budget = 8000});
    const BatchPlan plan = plan_epoch(set.request());
    for (std::int64_t k = 0; k < plan.size(); ++k) {
      const BatchShape shape = plan.batch(k).shape;
      EXPECT_LE(shape.rows * shape.frames, 8000);
    }
    EXPECT_EQ(sorted(items_of(plan)), first_numbers(utterances));
  }
}

TEST(BatchPlanTest, RowsRepeatOnlyWhenThereAreFewerThanRanks) {
  const PlanSet set(sample_lengths(3));
  std::multiset<std::uint32_t> items;
  for (int rank = 0; rank < 8; ++rank) {
    const BatchPlan plan = plan_epoch(set.request(0, rank, 8));
    ASSERT_EQ(plan.size(), 1);
    ASSERT_EQ(plan.batch(0).items.size(), 1U);
    items.insert(plan.batch(0).items[0]);
  }

  EXPECT_GE(items.count(0), 2U);
  EXPECT_GE(items.count(1), 2U);
  EXPECT_GE(items.count(2), 2U);
}

}  // namespace
}  // namespace qanat
