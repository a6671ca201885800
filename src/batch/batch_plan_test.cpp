#include "batch/batch_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"
#include "batch/random.h"
#include "batch/sample_lengths.h"

namespace qanat {
namespace {

struct PlanSet {
  std::vector<ItemLength> lengths;
  BatchingConfig batching;
  BucketEdges edges;

  explicit PlanSet(std::vector<ItemLength> of, const BatchingConfig& config = {})
      : lengths(std::move(of)), batching(config), edges(choose_edges(lengths, config)) {}

  PlanRequest request(std::int64_t epoch = 0, int rank = 0, int world = 1) const {
    return {.lengths = lengths,
            .edges = edges,
            .batching = batching,
            .seed = 42,
            .epoch = epoch,
            .rank = rank,
            .world = world};
  }
};

std::vector<std::uint32_t> items_of(const BatchPlan& plan) {
  std::vector<std::uint32_t> items;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const BatchSpec spec = plan.batch(k);
    items.insert(items.end(), spec.items.begin(), spec.items.end());
  }
  return items;
}

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> items) {
  std::sort(items.begin(), items.end());
  return items;
}

std::vector<std::uint32_t> first_numbers(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

double padding_share(const BatchPlan& plan, const std::vector<ItemLength>& lengths) {
  double real = 0;
  double padded = 0;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const BatchSpec spec = plan.batch(k);
    padded += spec.shape.rows * spec.shape.frames;
    for (const std::uint32_t item : spec.items) {
      real += lengths[item].frames;
    }
  }
  return 1 - real / padded;
}

TEST(BatchPlanTest, AnEpochHasEveryUtteranceOnce) {
  const PlanSet set(sample_lengths(1003));

  const BatchPlan plan = plan_epoch(set.request());

  EXPECT_EQ(sorted(items_of(plan)), first_numbers(1003));
}

TEST(BatchPlanTest, EveryRowFitsItsShape) {
  const PlanSet set(sample_lengths(1003));
  const BatchPlan plan = plan_epoch(set.request());

  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const BatchSpec spec = plan.batch(k);
    for (const std::uint32_t item : spec.items) {
      EXPECT_LE(set.lengths[item].frames, static_cast<std::uint32_t>(spec.shape.frames));
      EXPECT_LE(set.lengths[item].tokens, static_cast<std::uint32_t>(spec.shape.tokens));
    }
  }
}

TEST(BatchPlanTest, OnlyTheLastBatchIsShortAndNoneIsEmpty) {
  const PlanSet set(sample_lengths(1003));
  const BatchPlan plan = plan_epoch(set.request());

  std::multiset<int> rows;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    rows.insert(plan.batch(k).shape.rows);
  }
  EXPECT_EQ(plan.size(), 63);
  EXPECT_EQ(rows.count(16), 62U);
  EXPECT_EQ(rows.count(1003 % 16), 1U);
}

TEST(BatchPlanTest, ShapesAreThoseOfTheEdges) {
  const PlanSet set(sample_lengths(3000));
  const BatchPlan plan = plan_epoch(set.request());

  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const BatchSpec spec = plan.batch(k);
    const BucketEdge& edge = set.edges[static_cast<std::size_t>(spec.bucket)];
    EXPECT_EQ(spec.shape.frames, edge.frames);
    EXPECT_EQ(spec.shape.tokens, edge.tokens);
  }
}

TEST(BatchPlanTest, UnusableUtterancesAreLeftOut) {
  std::vector<ItemLength> lengths = sample_lengths(100);
  lengths[3].frames = 0;
  lengths[50].frames = 5000;
  lengths[51].tokens = 500;
  const PlanSet set(std::move(lengths));

  const std::vector<std::uint32_t> items = sorted(items_of(plan_epoch(set.request())));

  EXPECT_EQ(items.size(), 97U);
  EXPECT_FALSE(std::binary_search(items.begin(), items.end(), 3U));
  EXPECT_FALSE(std::binary_search(items.begin(), items.end(), 50U));
  EXPECT_FALSE(std::binary_search(items.begin(), items.end(), 51U));
}

TEST(BatchPlanTest, TheSameRequestGivesTheSamePlan) {
  const PlanSet set(sample_lengths(500));

  EXPECT_EQ(items_of(plan_epoch(set.request(3))), items_of(plan_epoch(set.request(3))));
}

TEST(BatchPlanTest, EpochsDifferInOrderButNotInNumber) {
  const PlanSet set(sample_lengths(500));
  const BatchPlan first = plan_epoch(set.request(0));
  const BatchPlan second = plan_epoch(set.request(1));

  EXPECT_NE(items_of(first), items_of(second));
  EXPECT_EQ(first.size(), second.size());
}

TEST(BatchPlanTest, BatchesComeInNoOrderOfLength) {
  const PlanSet set(sample_lengths(5000));
  const BatchPlan plan = plan_epoch(set.request());

  int rises = 0;
  for (std::int64_t k = 1; k < plan.size(); ++k) {
    rises += plan.batch(k).shape.frames > plan.batch(k - 1).shape.frames ? 1 : 0;
  }
  EXPECT_GT(rises, plan.size() / 3);
  EXPECT_LT(rises, plan.size() * 2 / 3);
}

// The acceptance figure: random batches of these lengths waste a third.
TEST(BatchPlanTest, PadsAtMostFivePercentOfALargeSet) {
  const PlanSet set(sample_lengths(13100));

  EXPECT_LT(padding_share(plan_epoch(set.request()), set.lengths), 0.05);
  EXPECT_LE(set.edges.size(), 16U);
}

TEST(BatchPlanTest, PadsAtMostFivePercentOfASmallSet) {
  const PlanSet set(sample_lengths(2000));

  EXPECT_LT(padding_share(plan_epoch(set.request()), set.lengths), 0.05);
}

TEST(BatchPlanTest, AShapePerBatchPadsLessThanStaticEdges) {
  const PlanSet fixed(sample_lengths(2000));
  const PlanSet trimmed(sample_lengths(2000), {.shapes = ShapePolicy::per_batch});

  EXPECT_LT(padding_share(plan_epoch(trimmed.request()), trimmed.lengths),
            padding_share(plan_epoch(fixed.request()), fixed.lengths));
}

TEST(BatchPlanTest, AFrameBudgetIsKept) {
  const PlanSet set(sample_lengths(2000), {.frame_budget = 8000});
  const BatchPlan plan = plan_epoch(set.request());

  std::set<int> rows;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const BatchShape shape = plan.batch(k).shape;
    EXPECT_LE(shape.rows * shape.frames, 8000);
    rows.insert(shape.rows);
  }
  EXPECT_GT(rows.size(), 5U);
  EXPECT_EQ(sorted(items_of(plan)), first_numbers(2000));
}

TEST(BatchPlanTest, ByLengthEveryEpochIsTheSameAndAscends) {
  const PlanSet set(sample_lengths(500), {.order = ItemOrder::by_length});
  const BatchPlan plan = plan_epoch(set.request(0));

  EXPECT_EQ(items_of(plan), items_of(plan_epoch(set.request(7))));
  EXPECT_EQ(sorted(items_of(plan)), first_numbers(500));
  for (std::int64_t k = 1; k < plan.size(); ++k) {
    EXPECT_GE(plan.batch(k).shape.frames, plan.batch(k - 1).shape.frames);
  }
}

TEST(BatchPlanTest, RefusesARankOutsideTheWorld) {
  const PlanSet set(sample_lengths(10));

  EXPECT_THROW(plan_epoch(set.request(0, 2, 2)), Error);
  EXPECT_THROW(plan_epoch(set.request(0, -1, 2)), Error);
  EXPECT_THROW(plan_epoch(set.request(0, 0, 0)), Error);
}

TEST(BatchPlanTest, NothingUsableMeansNoBatch) {
  const PlanSet set(std::vector<ItemLength>(5));

  EXPECT_EQ(plan_epoch(set.request()).size(), 0);
}

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

bool fits(ItemLength length, const BatchShape& shape) {
  return length.frames <= static_cast<std::uint32_t>(shape.frames) &&
         length.tokens <= static_cast<std::uint32_t>(shape.tokens);
}

TEST(SubstitutesTest, FitComeOnceAndAreAllThatFit) {
  const PlanSet set(sample_lengths(3000));
  const BatchPlan plan = plan_epoch(set.request());
  const BatchSpec spec = plan.batch(5);
  const auto that_fit = std::ranges::count_if(
      set.lengths, [&](const ItemLength& length) { return fits(length, spec.shape); });
  Substitutes substitutes(plan, set.lengths, 5, 2);
  std::set<std::uint32_t> drawn;

  while (const auto item = substitutes.next()) {
    EXPECT_NE(*item, spec.items[2]);
    EXPECT_TRUE(fits(set.lengths[*item], spec.shape));
    EXPECT_TRUE(drawn.insert(*item).second) << *item;
  }

  EXPECT_EQ(static_cast<std::ptrdiff_t>(drawn.size()), that_fit - 1);
}

TEST(SubstitutesTest, TheFirstAreOfTheSameBucket) {
  const PlanSet set(sample_lengths(3000));
  const BatchPlan plan = plan_epoch(set.request());
  std::set<std::uint32_t> bucket;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    if (plan.batch(k).bucket == plan.batch(5).bucket) {
      bucket.insert(plan.batch(k).items.begin(), plan.batch(k).items.end());
    }
  }
  Substitutes substitutes(plan, set.lengths, 5, 2);

  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(bucket.contains(substitutes.next().value()));
  }
}

// A bucket may be damaged as a whole: the first that is of another one comes soon.
TEST(SubstitutesTest, ABucketIsLeftAfterAFew) {
  const PlanSet set(sample_lengths(3000));
  const BatchPlan plan = plan_epoch(set.request());
  std::int64_t longest = 0;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    longest = plan.batch(k).bucket > plan.batch(longest).bucket ? k : longest;
  }
  const int shorter = set.edges[set.edges.size() - 2].frames;
  Substitutes substitutes(plan, set.lengths, longest, 0);

  int tried = 1;
  while (set.lengths[substitutes.next().value()].frames > static_cast<std::uint32_t>(shorter)) {
    ++tried;
  }

  EXPECT_LE(tried, 9);
}

TEST(SubstitutesTest, AreTheSameForEveryWorldSize) {
  const PlanSet set(sample_lengths(3000));
  const BatchPlan one = plan_epoch(set.request());
  const BatchPlan third = plan_epoch(set.request(0, 2, 4));
  Substitutes alone(one, set.lengths, 7, 8 + 3);
  Substitutes shared(third, set.lengths, 7, 3);  // 4 rows for each

  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(alone.next(), shared.next());
  }
}

TEST(SubstitutesTest, ForAShapePerBatchFitToo) {
  const PlanSet set(sample_lengths(40), {.shapes = ShapePolicy::per_batch});
  const BatchPlan plan = plan_epoch(set.request());

  for (std::int64_t k = 0; k < plan.size(); ++k) {
    Substitutes substitutes(plan, set.lengths, k, 0);
    while (const auto item = substitutes.next()) {
      EXPECT_TRUE(fits(set.lengths[*item], plan.batch(k).shape));
    }
  }
}

TEST(BatchPlanTest, AMillionUtterancesPlanInWellUnderASecond) {
  const PlanSet set(sample_lengths(1'000'000));
  const auto start = std::chrono::steady_clock::now();

  const BatchPlan plan = plan_epoch(set.request());

  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(plan.num_items(), 1'000'000);
  // Ten times what it takes on a quiet core, and still the promise; sanitizers are slower.
  EXPECT_LT(took.count(), 5.0);
  RecordProperty("seconds", std::to_string(took.count()));
}

// The share of rows whose batch has another utterance of their speaker.
double paired_share(const BatchPlan& plan, const std::vector<int>& speakers) {
  std::size_t paired = 0;
  std::size_t rows = 0;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    std::map<int, std::size_t> count;
    for (const std::uint32_t item : plan.batch(k).items) {
      ++count[speakers[item]];
      ++rows;
    }
    for (const auto& [speaker, utterances] : count) {
      paired += utterances > 1 ? utterances : 0;
    }
  }
  return static_cast<double>(paired) / static_cast<double>(rows);
}

class SpeakerPlanTest : public testing::TestWithParam<int> {};  // rows of a batch

TEST_P(SpeakerPlanTest, BringsUtterancesOfASpeakerTogether) {
  const PlanSet set(sample_lengths(4000), {.batch_size = GetParam(), .max_edges = 4});
  std::vector<int> speakers(4000);
  for (std::size_t i = 0; i < speakers.size(); ++i) {
    speakers[i] = static_cast<int>(mix_bits(i) % 100);
  }
  PlanRequest request = set.request();
  const double by_chance = paired_share(plan_epoch(request), speakers);
  request.speakers = speakers;

  const BatchPlan plan = plan_epoch(request);

  EXPECT_LT(by_chance, 0.2);
  EXPECT_GT(paired_share(plan, speakers), 0.9);
  EXPECT_EQ(sorted(items_of(plan)), first_numbers(4000));
}

INSTANTIATE_TEST_SUITE_P(EvenAndOdd, SpeakerPlanTest, testing::Values(16, 15, 3));

TEST(BatchPlanTest, OneSpeakerChangesNothing) {
  const PlanSet set(sample_lengths(500));
  const std::vector<int> speakers(500, 3);
  PlanRequest request = set.request();
  const std::vector<std::uint32_t> without = items_of(plan_epoch(request));
  request.speakers = speakers;

  EXPECT_EQ(items_of(plan_epoch(request)), without);
}

}  // namespace
}  // namespace qanat
