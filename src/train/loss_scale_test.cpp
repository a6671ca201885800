#include "train/loss_scale.h"

#include <limits>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "train/flat_parameters.h"
#include "train/optimiser.h"

namespace qanat {
namespace {

double factor(const LossScale& scale) {
  return scale.factor().item<double>();
}

const torch::Tensor kMade = torch::ones({});
const torch::Tensor kLeftOut = torch::zeros({});

TEST(LossScaleTest, IsHalvedByAnUpdateThatWasLeftOut) {
  LossScale scale({.first = 1024}, torch::kCPU);

  scale.follow(kLeftOut);

  EXPECT_EQ(factor(scale), 512);
}

TEST(LossScaleTest, GrowsAfterSoManyUpdatesInARow) {
  LossScale scale({.first = 1024, .growth_interval = 3}, torch::kCPU);

  scale.follow(kMade);
  scale.follow(kMade);
  EXPECT_EQ(factor(scale), 1024);
  scale.follow(kMade);
  EXPECT_EQ(factor(scale), 2048);
  scale.follow(kMade);
  EXPECT_EQ(factor(scale), 2048);
}

TEST(LossScaleTest, CountsAnewAfterAnUpdateThatWasLeftOut) {
  LossScale scale({.first = 1024, .growth_interval = 2}, torch::kCPU);

  scale.follow(kMade);
  scale.follow(kLeftOut);
  scale.follow(kMade);

  EXPECT_EQ(factor(scale), 512);
}

TEST(LossScaleTest, StaysBetweenOneAndItsMost) {
  LossScale low({.first = 1}, torch::kCPU);
  LossScale high({.first = 8, .growth_interval = 1, .most = 10}, torch::kCPU);

  low.follow(kLeftOut);
  high.follow(kMade);

  EXPECT_EQ(factor(low), 1);
  EXPECT_EQ(factor(high), 10);
}

// What a trainer does with it: a gradient that overflowed changes nothing but the scale, and the
// next one is the true gradient again.
TEST(LossScaleTest, LetsAnOptimiserLeaveOutWhatOverflowed) {
  torch::nn::Linear network(3, 2);
  const FlatParameters layout(*network);
  const torch::Tensor weights = layout.adopt(*network, torch::kCPU);
  AdamW optimiser(layout, {}, torch::kCPU);
  LossScale scale({.first = 64}, torch::kCPU);
  const torch::Tensor before = weights.clone();
  torch::Tensor gradient = torch::full({layout.size()}, std::numeric_limits<float>::infinity());

  scale.unscale(gradient);
  scale.follow(optimiser.update(weights, gradient, 1, 0.1)[1]);
  EXPECT_TRUE(torch::equal(weights, before));
  EXPECT_EQ(factor(scale), 32);

  gradient.fill_(32.0 * 0.25);
  scale.unscale(gradient);
  EXPECT_TRUE(torch::equal(gradient, torch::full_like(gradient, 0.25)));
  scale.follow(optimiser.update(weights, gradient, 1, 0.1)[1]);
  EXPECT_FALSE(torch::equal(weights, before));
}

}  // namespace
}  // namespace qanat
