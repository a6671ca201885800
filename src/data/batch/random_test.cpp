#include "batch/random.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

// Plans are rebuilt from seeds, so these numbers may never change.
TEST(RandomTest, GivesTheSameNumbersForever) {
  Random random{1, 2, 3};

  EXPECT_EQ(random.next(), 9780120665848617784U);
  EXPECT_EQ(random.next(), 15178871901675112232U);
  EXPECT_EQ(random.below(1000), 924U);
}

TEST(RandomTest, KeysThatDifferInOrderGiveDifferentSequences) {
  EXPECT_NE(Random({1, 2}).next(), Random({2, 1}).next());
  EXPECT_NE(Random({0}).next(), Random({0, 0}).next());
}

TEST(RandomTest, BelowIsUniform) {
  Random random{7};
  std::array<int, 6> seen{};
  for (int i = 0; i < 60000; ++i) {
    ++seen[random.below(6)];
  }

  // 10000 expected, sigma 91; six sigma
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 10000 - 550);
  EXPECT_LT(*std::max_element(seen.begin(), seen.end()), 10000 + 550);
}

TEST(RandomTest, ShuffleKeepsEveryValueAndMovesMost) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<int> before = values;
  Random random{3};

  shuffle(std::span(values), random);

  EXPECT_TRUE(std::is_permutation(values.begin(), values.end(), before.begin()));
  int moved = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    moved += values[i] != before[i] ? 1 : 0;
  }
  EXPECT_GT(moved, 980);
}

}  // namespace
}  // namespace qanat
