#include "diagnose/turn_comparison.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/translator.h"

namespace qanat {
namespace {

using testing::HasSubstr;

std::vector<Turn> turns(std::initializer_list<double> rates, double idle, double others = 0.01) {
  std::vector<Turn> all;
  for (const double rate : rates) {
    all.push_back({.rate = rate, .idle_share = idle, .others_share = others});
  }
  return all;
}

TEST(TurnComparisonTest, TheRatioIsThatOfTheRoundsAndItsIntervalHoldsTheirNoise) {
  const RunComparison seen =
      compare_turns(turns({20.0, 21.0, 20.5}, 0), turns({10.0, 10.2, 10.4}, 0.5));

  EXPECT_EQ(seen.withheld, std::nullopt);
  EXPECT_NEAR(seen.ratio, 2.0, 0.05);
  EXPECT_LT(seen.ci95.low, 1.95);
  EXPECT_GT(seen.ci95.high, 2.05);
  EXPECT_EQ(seen.change, Change::faster);
}

// Rounds in which both ways were slowed down alike agree on a ratio that the next three may not.
TEST(TurnComparisonTest, RoundsThatAgreeByLuckHaveTheNoiseOfTheWays) {
  const RunComparison seen =
      compare_turns(turns({20.0, 21.0, 22.0}, 0, 0), turns({10.0, 10.5, 11.0}, 0.5, 0));

  EXPECT_LT(seen.ci95.low, 1.85);
  EXPECT_GT(seen.ci95.high, 2.15);
}

// 6 % of the cores are allowed, and may be what made one way slower.
TEST(TurnComparisonTest, WhatOthersTookWidensTheInterval) {
  const RunComparison alone =
      compare_turns(turns({20.0, 20.1, 20.2}, 0, 0), turns({10.0, 10.1, 10.1}, 0.5, 0));
  const RunComparison beside =
      compare_turns(turns({20.0, 20.1, 20.2}, 0, 0.06), turns({10.0, 10.1, 10.1}, 0.5, 0));

  EXPECT_NEAR(beside.ci95.high / alone.ci95.high, std::exp(0.06), 1e-9);
  EXPECT_NEAR(beside.ci95.low / alone.ci95.low, std::exp(-0.06), 1e-9);
}

// A neighbour that comes and goes moves single rounds by a third: that is no difference.
TEST(TurnComparisonTest, RoundsThatDisagreeAreNoDifference) {
  const RunComparison seen =
      compare_turns(turns({1.3, 1.0, 0.9}, 0.1), turns({1.0, 1.05, 1.0}, 0.1));

  EXPECT_EQ(seen.change, Change::none);
  EXPECT_LT(seen.ci95.low, 1);
  EXPECT_GT(seen.ci95.high, 1);
}

// What a package installation beside the first mode made of 1.007x.
TEST(TurnComparisonTest, ARatioThatTheWaitCannotExplainIsWithheld) {
  const RunComparison seen =
      compare_turns(turns({4.1, 4.0, 4.2}, 0.0), turns({1.0, 1.01, 1.02}, 0.0062));

  EXPECT_THAT(Translator().tr(seen.withheld.value()), HasSubstr("explains 1.01x"));
  EXPECT_EQ(seen.change, Change::none);
}

TEST(TurnComparisonTest, ABusyMachineWithholdsTheRatio) {
  const RunComparison seen =
      compare_turns(turns({20, 20, 20}, 0, 0.5), turns({10, 10, 10}, 0.5, 0.4));

  EXPECT_THAT(Translator().tr(seen.withheld.value()),
              HasSubstr("other programs took up to 50 % of the cores in 3 of 3"));
  EXPECT_EQ(seen.change, Change::none);
}

TEST(TurnComparisonTest, ABusyRoundIsLeftOut) {
  std::vector<Turn> now = turns({20, 20, 20, 20}, 0);
  now[1] = {.rate = 2, .idle_share = 0.9, .others_share = 0.7};

  const RunComparison seen = compare_turns(now, turns({10, 10, 10, 10}, 0.5));

  EXPECT_EQ(seen.withheld, std::nullopt);
  EXPECT_NEAR(seen.ratio, 2, 1e-9);
}

TEST(TurnComparisonTest, TwoRoundsAreTooFew) {
  EXPECT_THAT(
      Translator().tr(compare_turns(turns({20, 20}, 0), turns({10, 10}, 0.5)).withheld.value()),
      HasSubstr("2 rounds were measured; a comparison needs 3"));
}

// Two virtual GPUs share the cores that one device has alone.
TEST(TurnComparisonTest, ADeviceOfHalfTheCoresMayTakeTwiceAsLong) {
  std::vector<Turn> one = turns({10, 10, 10}, 0);
  for (Turn& turn : one) {
    turn.device_cores = 2;
  }

  const RunComparison seen = compare_turns(turns({6, 6, 6}, 0), one);

  EXPECT_EQ(seen.withheld, std::nullopt);
  EXPECT_EQ(seen.change, Change::slower);
}

}  // namespace
}  // namespace qanat
