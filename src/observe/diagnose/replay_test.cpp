#include "diagnose/replay.h"

#include <random>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::vector<double> lognormal(unsigned seed, std::size_t count, double level) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> distribution(0, 0.5);
  std::vector<double> values(count);
  for (double& value : values) {
    value = level * distribution(random);
  }
  return values;
}

TEST(ReplayTest, TheSlowerSideSetsThePace) {
  const std::vector<double> produce(100, 0.03);
  const std::vector<double> consume(100, 0.02);

  const ReplayResult one = replay_queue(produce, consume, {.workers = 1, .depth = 4});
  const ReplayResult two = replay_queue(produce, consume, {.workers = 2, .depth = 4});

  EXPECT_NEAR(one.seconds_per_item, 0.03, 1e-9);
  EXPECT_NEAR(one.wait_per_item, 0.01, 1e-9);
  EXPECT_NEAR(two.seconds_per_item, 0.02, 1e-9);
  EXPECT_NEAR(two.wait_per_item, 0, 1e-9);
}

TEST(ReplayTest, WithOnePlaceNothingOverlapsTheNextItem) {
  const std::vector<double> produce(100, 0.03);
  const std::vector<double> consume(100, 0.02);

  // The place frees when the item is taken, so making the next one overlaps consuming this one.
  EXPECT_NEAR(
      replay_queue(produce, consume, {.workers = 1, .depth = 1}).seconds_per_item, 0.03, 1e-9);
  EXPECT_NEAR(replay_ring(std::vector{produce, consume}, 1), 0.05, 1e-9);
}

TEST(ReplayTest, DepthPaysWhereTimesVary) {
  const std::vector<double> produce = lognormal(1, 400, 0.02);
  const std::vector<double> consume = lognormal(2, 400, 0.02);

  const double shallow = replay_queue(produce, consume, {.depth = 1}).seconds_per_item;
  const double deep = replay_queue(produce, consume, {.depth = 8}).seconds_per_item;

  EXPECT_LT(deep, 0.95 * shallow);
}

TEST(ReplayTest, AFasterStageIsReplayedFaster) {
  const std::vector<double> produce(100, 0.03);
  const std::vector<double> consume(100, 0.02);

  const ReplayResult result = replay_queue(produce, consume, {.depth = 4, .produce_scale = 0.5});

  EXPECT_NEAR(result.seconds_per_item, 0.02, 1e-9);
}

TEST(ReplayTest, ARingOfThreeRunsAtItsSlowestStage) {
  const std::vector<std::vector<double>> stages = {std::vector<double>(200, 0.03),
                                                   std::vector<double>(200, 0.01),
                                                   std::vector<double>(200, 0.03)};

  EXPECT_NEAR(replay_ring(stages, 3), 0.03, 1e-9);
  EXPECT_NEAR(replay_ring(stages, 1), 0.07, 1e-9);
}

}  // namespace
}  // namespace qanat
