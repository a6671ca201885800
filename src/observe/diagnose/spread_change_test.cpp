#include "diagnose/spread_change.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::vector<double> steps(unsigned seed, double variation, std::size_t count = 200) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> time(std::log(0.05), variation);
  std::vector<double> values(count);
  for (double& value : values) {
    value = time(random);
  }
  return values;
}

int changes_seen(double now, double before, double hiccup, int tries) {
  int seen = 0;
  for (int i = 0; i < tries; ++i) {
    std::vector<double> late = steps(1000U + static_cast<unsigned>(i), now);
    late[17] += hiccup;
    const SpreadChange change =
        compare_spread(late, steps(5000U + static_cast<unsigned>(i), before));
    seen += change.change != Steadier::same ? 1 : 0;
  }
  return seen;
}

// At a level of 1 %, three of forty happen once in a hundred times.
TEST(SpreadChangeTest, EqualSpreadsAreSeldomTakenForAChange) {
  EXPECT_LE(changes_seen(0.10, 0.10, 0, 40), 2);
}

TEST(SpreadChangeTest, OneHiccupIsNoChange) {
  EXPECT_LE(changes_seen(0.10, 0.10, 2.0, 40), 2);
}

TEST(SpreadChangeTest, AChangeFromTenToEighteenPercentIsSeen) {
  EXPECT_GE(changes_seen(0.18, 0.10, 0, 20), 19);
}

TEST(SpreadChangeTest, NamesTheDirectionAndTheSize) {
  const SpreadChange wider = compare_spread(steps(1, 0.2), steps(2, 0.1));
  const SpreadChange narrower = compare_spread(steps(1, 0.1), steps(2, 0.2));

  EXPECT_EQ(wider.change, Steadier::less_steady);
  EXPECT_NEAR(wider.ratio, 2, 0.5);
  EXPECT_LT(wider.ci95.low, 2);
  EXPECT_GT(wider.ci95.high, 2);
  EXPECT_EQ(narrower.change, Steadier::steadier);
}

TEST(SpreadChangeTest, TooFewStepsAreUnknown) {
  EXPECT_EQ(compare_spread(steps(1, 0.2, 19), steps(2, 0.1)).change, Steadier::unknown);
}

TEST(SpreadChangeTest, TimesThatAreAllEqualAreUnknown) {
  EXPECT_EQ(compare_spread(steps(1, 0.2), std::vector<double>(50, 0.1)).change, Steadier::unknown);
}

}  // namespace
}  // namespace qanat
