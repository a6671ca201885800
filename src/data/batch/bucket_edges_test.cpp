#include "batch/bucket_edges.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "base/error.h"
#include "batch/random.h"
#include "batch/sample_lengths.h"

namespace qanat {
namespace {

constexpr int kRows = 4;

// Padded frames by definition: full batches of every bucket to its edge, what is left over goes up.
double padded_frames(const std::vector<int>& edges, const std::vector<ItemLength>& lengths) {
  double frames = 0;
  std::int64_t cut = 0;
  for (const int edge : edges) {
    const std::int64_t count = std::ranges::count_if(
        lengths, [edge](ItemLength length) { return static_cast<int>(length.frames) <= edge; });
    const std::int64_t full = edge == edges.back() ? count : count / kRows * kRows;
    frames += static_cast<double>((full - cut) * edge);
    cut = full;
  }
  return frames;
}

// Least padded frames over every set of at most max_edges edges, by trying all of them.
double least_frames(const std::vector<ItemLength>& lengths, std::size_t max_edges) {
  std::vector<int> candidates;
  candidates.reserve(lengths.size());
  for (const ItemLength& length : lengths) {
    candidates.push_back(static_cast<int>(length.frames));
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  double least = std::numeric_limits<double>::infinity();
  const std::size_t inner = candidates.size() - 1;  // the longest is always an edge
  for (std::uint32_t subset = 0; subset < (1U << inner); ++subset) {
    std::vector<int> edges;
    for (std::size_t i = 0; i < inner; ++i) {
      if ((subset >> i & 1U) != 0) {
        edges.push_back(candidates[i]);
      }
    }
    edges.push_back(candidates.back());
    if (edges.size() <= max_edges) {
      least = std::min(least, padded_frames(edges, lengths));
    }
  }
  return least;
}

std::vector<ItemLength> few_lengths(std::uint64_t seed) {
  Random random{seed};
  std::vector<ItemLength> lengths;
  for (int i = 0; i < 12; ++i) {
    const ItemLength length{.frames = 2 + random.below(60), .tokens = 1 + random.below(20)};
    lengths.insert(lengths.end(), 1 + random.below(30), length);
  }
  return lengths;
}

std::vector<int> frames_of(const BucketEdges& edges) {
  std::vector<int> frames;
  for (const BucketEdge& edge : edges) {
    frames.push_back(edge.frames);
  }
  return frames;
}

class BucketEdgesOptimumTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(BucketEdgesOptimumTest, NoOtherSetOfEdgesPadsLess) {
  const std::vector<ItemLength> lengths = few_lengths(GetParam());
  const std::size_t max_edges = 2 + GetParam() % 5;

  const BucketEdges edges =
      choose_edges(lengths, {.batch_size = kRows, .max_edges = static_cast<int>(max_edges)});

  EXPECT_LE(edges.size(), max_edges);
  EXPECT_DOUBLE_EQ(padded_frames(frames_of(edges), lengths), least_frames(lengths, max_edges));
}

INSTANTIATE_TEST_SUITE_P(Seeds, BucketEdgesOptimumTest, testing::Range<std::uint64_t>(1, 41));

TEST(BucketEdgesTest, OneEdgeIsTheFixedShape) {
  const BatchingConfig config{.max_edges = 1, .max_frames = 900, .max_tokens = 150};

  const BucketEdges edges = choose_edges(sample_lengths(100), config);

  EXPECT_EQ(edges, (BucketEdges{{.frames = 900, .tokens = 150, .rows = 16}}));
}

TEST(BucketEdgesTest, TokenEdgesHoldTheTextsOfTheirBucketAndThoseBelow) {
  const std::vector<ItemLength> lengths{{10, 30}, {10, 5}, {50, 11}, {90, 61}};
  const BatchingConfig config{.batch_size = 1, .max_edges = 3};

  const BucketEdges edges = choose_edges(lengths, config);

  ASSERT_EQ(frames_of(edges), (std::vector{10, 50, 90}));
  EXPECT_EQ(edges[0].tokens, 32);
  EXPECT_EQ(edges[1].tokens, 32);
  EXPECT_EQ(edges[2].tokens, 64);
}

TEST(BucketEdgesTest, ABudgetGivesShortBucketsMoreRows) {
  const std::vector<ItemLength> lengths{{10, 5}, {10, 5}, {100, 5}, {100, 5}};
  const BatchingConfig config{.max_edges = 2, .frame_budget = 250};

  const BucketEdges edges = choose_edges(lengths, config);

  ASSERT_FALSE(edges.empty());
  EXPECT_EQ(edges.back().rows, 2);
}

TEST(BucketEdgesTest, AnEdgeThatCutsNoFullBatchIsNotUsed) {
  const std::vector<ItemLength> lengths{{10, 5}, {10, 5}, {100, 5}};

  EXPECT_EQ(frames_of(choose_edges(lengths, {.batch_size = 2})), (std::vector{10, 100}));
  EXPECT_EQ(frames_of(choose_edges(lengths, {.batch_size = 3})), (std::vector{100}));
}

TEST(BucketEdgesTest, NoEdgeHasMoreRowsThanThereAreUtterances) {
  const std::vector<ItemLength> lengths(15, {.frames = 100, .tokens = 10});

  EXPECT_EQ(choose_edges(lengths, {.batch_size = 256}).back().rows, 15);
  EXPECT_EQ(choose_edges(lengths, {.batch_size = 256, .max_edges = 1}).back().rows, 15);
  EXPECT_EQ(choose_edges(lengths, {.batch_size = 8}).back().rows, 8);
}

TEST(BucketEdgesTest, LengthsThatAreRefusedDoNotCount) {
  const std::vector<ItemLength> lengths{{0, 5}, {1, 5}, {2000, 5}, {500, 0}, {500, 201}};

  EXPECT_TRUE(choose_edges(lengths, {}).empty());
  EXPECT_TRUE(choose_edges({}, {}).empty());
}

TEST(BucketEdgesTest, RefusesASenselessConfiguration) {
  EXPECT_THROW(choose_edges({}, {.batch_size = 0}), Error);
  EXPECT_THROW(choose_edges({}, {.max_edges = 0}), Error);
  EXPECT_THROW(choose_edges({}, {.min_frames = 10, .max_frames = 9}), Error);
  EXPECT_THROW(choose_edges({}, {.frame_budget = 0}), Error);
}

}  // namespace
}  // namespace qanat
