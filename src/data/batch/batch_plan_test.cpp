#include "batch/batch_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"
#include "batch/random.h"
#include "batch/sample_lengths.h"
#include "batch/test_plans.h"

namespace qanat {
namespace {

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

// Twelve lengths, each in whole batches: four shapes waste what twelve do not, and more than twelve
// change nothing.
TEST(BatchPlanTest, ThePaddingOfANumberOfShapesIsThatOfItsEpoch) {
  std::vector<ItemLength> lengths;
  for (std::uint32_t i = 1; i <= 12; ++i) {
    lengths.insert(lengths.end(), 32, {.frames = 50 * i, .tokens = 10});
  }
  const BatchingConfig batching{.batch_size = 16, .max_edges = 4};

  EXPECT_NEAR(planned_padding(lengths, batching, 4), 1 - 325.0 / 375, 1e-9);
  EXPECT_DOUBLE_EQ(planned_padding(lengths, batching, 12), 0);
  EXPECT_DOUBLE_EQ(planned_padding(lengths, batching, 64), 0);
  EXPECT_DOUBLE_EQ(planned_padding({}, batching, 4), 0);
}

// Pairs begin at even rows, and whoever has no partner comes behind them: where a batch is cut for
// ranks, no pair is divided.
TEST_P(SpeakerPlanTest, PairsComeFirstInABatch) {
  const PlanSet set(sample_lengths(500), {.batch_size = GetParam(), .max_edges = 4});
  std::vector<int> speakers(500);
  for (std::size_t i = 0; i < speakers.size(); ++i) {
    speakers[i] = static_cast<int>(mix_bits(i) % 8);
  }
  PlanRequest request = set.request();
  request.speakers = speakers;

  const BatchPlan plan = plan_epoch(request);

  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const std::span<const std::uint32_t> items = plan.batch(k).items;
    std::set<int> alone;
    for (std::size_t row = 0; row < items.size(); ++row) {
      const bool is_paired = row + 1 < items.size() && alone.empty() &&
                             speakers[items[row]] == speakers[items[row + 1]];
      if (is_paired) {
        ++row;
      } else {
        EXPECT_TRUE(alone.insert(speakers[items[row]]).second) << "batch " << k << " row " << row;
      }
    }
  }
  EXPECT_EQ(sorted(items_of(plan)), first_numbers(500));
}

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
