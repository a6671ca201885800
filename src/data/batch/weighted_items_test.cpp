#include "batch/weighted_items.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "batch/test_plans.h"

namespace qanat {
namespace {

std::vector<std::uint32_t> times(const std::vector<double>& weights,
                                 std::int64_t epoch,
                                 const std::vector<int>& speakers = {}) {
  const std::vector<std::uint8_t> usable(weights.size(), 1);
  return times_in_epoch(
      {.weights = weights, .speakers = speakers, .usable = usable, .seed = 7, .epoch = epoch});
}

std::uint32_t sum(const std::vector<std::uint32_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0U);
}

TEST(WeightedItemsTest, EqualWeightsAreOnceEach) {
  EXPECT_EQ(times(std::vector<double>(100, 0.3), 5), std::vector<std::uint32_t>(100, 1));
}

TEST(WeightedItemsTest, EachComesAsOftenAsItsShareRoundedDownOrUp) {
  const std::vector<double> weights = {1, 2, 3.5, 0, 0.5, 1, 1, 7};  // 16 in 8 places

  for (std::int64_t epoch = 0; epoch < 50; ++epoch) {
    const std::vector<std::uint32_t> drawn = times(weights, epoch);
    EXPECT_EQ(sum(drawn), 8U);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_LE(drawn[i], std::ceil(weights[i] / 2));
      EXPECT_GE(drawn[i], std::floor(weights[i] / 2));
    }
  }
}

TEST(WeightedItemsTest, OverManyEpochsSharesAreThoseOfTheWeights) {
  const std::vector<double> weights = {1, 2, 3, 4, 0.5};  // of 10.5, 5 places an epoch
  std::vector<double> drawn(weights.size());

  for (std::int64_t epoch = 0; epoch < 2000; ++epoch) {
    const std::vector<std::uint32_t> one = times(weights, epoch);
    std::transform(one.begin(), one.end(), drawn.begin(), drawn.begin(), std::plus<>());
  }

  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_NEAR(drawn[i] / 10000, weights[i] / 10.5, 0.01) << i;  // 5 sigma of a fair coin
  }
}

TEST(WeightedItemsTest, ASpeakerTakenTogetherIsRoundedOnce) {
  std::vector<int> speakers;
  std::vector<double> weights;
  for (int i = 0; i < 90; ++i) {
    speakers.push_back(i < 60 ? 0 : i < 80 ? 1 : 2);
    weights.push_back(1.0 / std::array{60, 20, 10}[static_cast<std::size_t>(speakers.back())]);
  }

  for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
    const std::vector<std::uint32_t> drawn = times(weights, epoch, speakers);
    std::array<std::uint32_t, 3> of_speaker{};
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      of_speaker[static_cast<std::size_t>(speakers[i])] += drawn[i];
    }
    for (const std::uint32_t count : of_speaker) {
      EXPECT_NEAR(count, 30, 1);
    }
  }
}

TEST(WeightedItemsTest, WhatIsNotUsableHasNoPlace) {
  const std::vector<double> weights = {1, 1, 1};
  const std::vector<std::uint8_t> usable = {1, 0, 1};

  const auto drawn = times_in_epoch({.weights = weights, .usable = usable});

  EXPECT_EQ(drawn, (std::vector<std::uint32_t>{1, 0, 1}));
}

TEST(WeightedItemsTest, EpochsOfAPlanAreEquallyLongAndTheSameAgain) {
  std::vector<ItemLength> lengths;
  std::vector<double> weights;
  for (std::uint32_t i = 0; i < 103; ++i) {
    lengths.push_back({.frames = 20 + i * 7 % 200, .tokens = 5});
    weights.push_back(i % 10 == 0 ? 5 : 0.5);
  }
  const PlanSet set(lengths, {.batch_size = 8, .max_edges = 5});

  for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
    PlanRequest request = set.request(epoch);
    request.weights = weights;
    const BatchPlan plan = plan_epoch(request);
    EXPECT_EQ(plan.size(), plan_epoch(set.request()).size());
    EXPECT_EQ(plan.num_items(), 103);
    EXPECT_EQ(items_of(plan), items_of(plan_epoch(request)));
  }
}

TEST(WeightedItemsTest, RanksShareWhatOneHas) {
  const PlanSet set(std::vector<ItemLength>(40, {.frames = 50, .tokens = 4}), {.batch_size = 8});
  std::vector<double> weights(40, 1);
  weights[3] = 9;
  std::vector<std::uint32_t> together;
  for (int rank = 0; rank < 2; ++rank) {
    PlanRequest request = set.request(2, rank, 2);
    request.weights = weights;
    const std::vector<std::uint32_t> part = items_of(plan_epoch(request));
    together.insert(together.end(), part.begin(), part.end());
  }
  PlanRequest whole = set.request(2);
  whole.weights = weights;

  EXPECT_EQ(sorted(together), sorted(items_of(plan_epoch(whole))));
}

TEST(LastBatchTest, DroppedLeavesOutTheShortOneAndOthersEveryEpoch) {
  std::vector<ItemLength> lengths;  // each in a bucket of its own, almost
  for (std::uint32_t i = 0; i < 43; ++i) {
    lengths.push_back({.frames = 20 + 9 * i, .tokens = 4});
  }
  const PlanSet set(lengths, {.batch_size = 8});
  std::vector<std::uint32_t> seen;

  for (std::int64_t epoch = 0; epoch < 30; ++epoch) {
    PlanRequest request = set.request(epoch);
    request.last = LastBatch::dropped;
    const BatchPlan plan = plan_epoch(request);
    ASSERT_EQ(plan.size(), 5);
    for (std::int64_t i = 0; i < plan.size(); ++i) {
      EXPECT_EQ(plan.batch(i).items.size(), 8U);
    }
    const std::vector<std::uint32_t> items = items_of(plan);
    seen.insert(seen.end(), items.begin(), items.end());
  }

  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen.size(), 43U);
}

TEST(LastBatchTest, TheOnlyBatchIsKept) {
  const PlanSet set(std::vector<ItemLength>(3, {.frames = 50, .tokens = 4}), {.batch_size = 8});
  PlanRequest request = set.request();
  request.last = LastBatch::dropped;

  EXPECT_EQ(plan_epoch(request).size(), 1);
}

}  // namespace
}  // namespace qanat
