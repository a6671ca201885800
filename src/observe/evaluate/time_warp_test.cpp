#include "evaluate/time_warp.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::vector<double> random_walk(std::size_t frames, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values;
  double at = 0;
  for (std::size_t i = 0; i < frames; ++i) {
    at += static_cast<double>(random() % 2001) / 1000 - 1;
    values.push_back(at);
  }
  return values;
}

double cost_of(const std::vector<FramePair>& path,
               const std::vector<double>& left,
               const std::vector<double>& right) {
  double sum = 0;
  for (const FramePair& pair : path) {
    sum += std::abs(left[pair.left] - right[pair.right]);
  }
  return sum;
}

// Every cell of the table, as the definition has it.
double exact_cost(const std::vector<double>& left, const std::vector<double>& right) {
  const double none = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> cost(left.size() + 1,
                                        std::vector<double>(right.size() + 1, none));
  cost[0][0] = 0;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    for (std::size_t j = 1; j <= right.size(); ++j) {
      cost[i][j] = std::abs(left[i - 1] - right[j - 1]) +
                   std::min({cost[i - 1][j], cost[i][j - 1], cost[i - 1][j - 1]});
    }
  }
  return cost.back().back();
}

bool is_whole(const std::vector<FramePair>& path, std::size_t left, std::size_t right) {
  bool whole = path.front() == FramePair{0, 0} &&
               path.back() == FramePair{static_cast<std::uint32_t>(left - 1),
                                        static_cast<std::uint32_t>(right - 1)};
  for (std::size_t i = 1; i < path.size(); ++i) {
    const std::uint32_t down = path[i].left - path[i - 1].left;
    const std::uint32_t across = path[i].right - path[i - 1].right;
    whole = whole && down <= 1 && across <= 1 && down + across > 0;
  }
  return whole;
}

struct WarpLengths {
  std::size_t left;
  std::size_t right;
};

class TimeWarpTest : public testing::TestWithParam<WarpLengths> {};

TEST_P(TimeWarpTest, AWideRadiusGivesTheCheapestPath) {
  const std::vector<double> left = random_walk(GetParam().left, 1);
  const std::vector<double> right = random_walk(GetParam().right, 2);

  const std::vector<FramePair> path =
      warp_path({.values = left, .size = 1}, {.values = right, .size = 1}, 1000);

  EXPECT_NEAR(cost_of(path, left, right), exact_cost(left, right), 1e-9);
}

TEST_P(TimeWarpTest, TheNarrowOneIsWholeAndNotCheaper) {
  const std::vector<double> left = random_walk(GetParam().left, 3);
  const std::vector<double> right = random_walk(GetParam().right, 4);

  const std::vector<FramePair> path =
      warp_path({.values = left, .size = 1}, {.values = right, .size = 1});

  EXPECT_TRUE(is_whole(path, left.size(), right.size()));
  EXPECT_GE(cost_of(path, left, right), exact_cost(left, right) - 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Lengths,
                         TimeWarpTest,
                         testing::Values(WarpLengths{1, 1},
                                         WarpLengths{1, 7},
                                         WarpLengths{9, 2},
                                         WarpLengths{3, 3},
                                         WarpLengths{4, 101},
                                         WarpLengths{77, 5},
                                         WarpLengths{64, 64},
                                         WarpLengths{151, 130}));

TEST(TimeWarpSkipTest, SkippedValuesDoNotSteer) {
  const std::vector<double> left = {9, 0, 5, 1, 7, 2};
  const std::vector<double> right = {1, 0, 1, 1, 1, 2};

  const std::vector<FramePair> path =
      warp_path({.values = left, .size = 2, .skip = 1}, {.values = right, .size = 2, .skip = 1});

  EXPECT_EQ(path, (std::vector<FramePair>{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(TimeWarpSkipTest, NoFramesHaveNoPath) {
  const std::vector<double> none;
  const std::vector<double> one = {1};

  EXPECT_TRUE(warp_path({.values = none, .size = 1}, {.values = one, .size = 1}).empty());
}

}  // namespace
}  // namespace qanat
