#include "diagnose/sweep.h"

#include <random>

#include <gtest/gtest.h>

namespace qanat {
namespace {

// A cell visited five times, with a little noise that is the same for all.
SweepCell cell(int batch, int workers, double rate, double noise = 0.002) {
  return {
      .batch = batch,
      .workers = workers,
      .rates = {
          rate * (1 - noise), rate * (1 + noise), rate, rate * (1 + noise), rate * (1 - noise)}};
}

// Rates that grow with the workers up to `knee` and stay there.
std::vector<SweepCell> saturating(int knee, unsigned seed, double noise) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> error(1, noise);
  std::vector<SweepCell> cells;
  for (int workers = 1; workers <= 12; ++workers) {
    SweepCell one{.batch = 16, .workers = workers};
    for (int visit = 0; visit < 8; ++visit) {
      one.rates.push_back(100.0 * std::min(workers, knee) * error(random));
    }
    cells.push_back(one);
  }
  return cells;
}

TEST(SweepTest, TakesTheFewestWorkersThatAreAsGoodAsTheBest) {
  const std::vector<SweepCell> cells = {
      cell(16, 1, 100), cell(16, 2, 195), cell(16, 3, 199), cell(16, 4, 200)};

  const std::optional<SweepChoice> choice = choose_cell(cells, {.batch = 16, .max_workers = 4});

  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(cells[choice->cell].workers, 3);
  EXPECT_EQ(cells[choice->best].workers, 4);
  EXPECT_NEAR(choice->of_best, 0.995, 1e-6);
}

TEST(SweepTest, NoiseNeverBuysMoreThanThreePercent) {
  const std::vector<SweepCell> cells = {cell(16, 1, 96, 0.2), cell(16, 2, 100, 0.2)};

  const std::optional<SweepChoice> choice = choose_cell(cells, {.batch = 16, .max_workers = 4});

  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(cells[choice->cell].workers, 2);
}

TEST(SweepTest, FindsTheKneeOfASaturatingLoaderMostOfTheTime) {
  int right = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const std::vector<SweepCell> cells = saturating(6, seed, 0.02);
    const std::optional<SweepChoice> choice = choose_cell(cells, {.batch = 16, .max_workers = 12});
    ASSERT_TRUE(choice.has_value());
    right += cells[choice->cell].workers == 6 ? 1 : 0;
    EXPECT_GE(choice->of_best, 1 - kMaxTolerance);
  }
  EXPECT_GE(right, 85);
}

// Milliseconds per batch would choose batch 8: 9.3 against 13.3 for 16 and 26.7 for 32.
TEST(SweepTest, TheSmallestBatchDoesNotWinBecauseItsBatchesAreQuick) {
  const std::vector<SweepCell> cells = {cell(8, 2, 857), cell(16, 2, 1200), cell(32, 2, 1200)};

  const std::optional<SweepChoice> choice = choose_cell(cells, {.batch = 16, .max_workers = 4});

  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(cells[choice->cell].batch, 16);
  EXPECT_FALSE(choice->larger_batch.has_value());
}

TEST(SweepTest, AnotherBatchSizeIsReportedAndNotChosen) {
  const std::vector<SweepCell> cells = {cell(16, 2, 1000), cell(32, 2, 1300)};

  const std::optional<SweepChoice> choice = choose_cell(cells, {.batch = 16, .max_workers = 4});

  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(cells[choice->cell].batch, 16);
  ASSERT_TRUE(choice->larger_batch.has_value());
  EXPECT_EQ(choice->larger_batch->batch, 32);
  EXPECT_NEAR(choice->larger_batch->speedup, 1.3, 1e-6);
}

TEST(SweepTest, WorkersBeyondTheAllowedCoresAreNotRecommended) {
  const std::vector<SweepCell> cells = {cell(16, 1, 100), cell(16, 2, 180), cell(16, 4, 400)};

  const std::optional<SweepChoice> choice = choose_cell(cells, {.batch = 16, .max_workers = 2});

  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(cells[choice->cell].workers, 2);
}

TEST(SweepTest, NothingMeasuredIsNothingChosen) {
  const std::vector<SweepCell> cells = {cell(8, 1, 100), {.batch = 16, .workers = 1}};

  EXPECT_FALSE(choose_cell(cells, {.batch = 16, .max_workers = 2}).has_value());
}

TEST(SweepTest, OneVisitIsNoInterval) {
  EXPECT_DOUBLE_EQ(rate_of({.batch = 1, .workers = 1, .rates = {5}}).half_width, 1);
  EXPECT_LT(rate_of(cell(16, 1, 100)).half_width, kEnoughHalfWidth);
}

TEST(SweepTest, TheControlCellShowsAMachineThatSlowsDown) {
  const SweepCell control{.batch = 16, .workers = 1, .rates = {100, 100, 90, 90}};

  EXPECT_NEAR(control_drift(control).value(), -0.1, 1e-9);
  EXPECT_FALSE(control_drift({.batch = 16, .workers = 1, .rates = {1, 2, 3}}).has_value());
}

}  // namespace
}  // namespace qanat
