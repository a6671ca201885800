#include "train/loss_scale.h"

#include <limits>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "train/flat_parameters.h"
#include "train/optimiser.h"

namespace qanat {
namespace {

LossScale make_scale(const LossScaleOptions& options) {
  return {options, LossScale::make_state(options, torch::kCPU)};
}

double factor(const LossScale& scale) {
  return scale.factor().item<double>();
}

const torch::Tensor kMade = torch::ones({});
const torch::Tensor kLeftOut = torch::zeros({});

TEST(LossScaleTest, IsHalvedByAnUpdateThatWasLeftOut) {
  LossScale scale = make_scale({.first = 1024});

  scale.update(kLeftOut);

  EXPECT_EQ(factor(scale), 512);
}

TEST(LossScaleTest, GrowsAfterSoManyUpdatesInARow) {
  LossScale scale = make_scale({.first = 1024, .growth_interval = 3});

  scale.update(kMade);
  scale.update(kMade);
  EXPECT_EQ(factor(scale), 1024);
  scale.update(kMade);
  EXPECT_EQ(factor(scale), 2048);
  scale.update(kMade);
  EXPECT_EQ(factor(scale), 2048);
}

TEST(LossScaleTest, CountsAgainAfterAnUpdateThatWasLeftOut) {
  LossScale scale = make_scale({.first = 1024, .growth_interval = 2});

  scale.update(kMade);
  scale.update(kLeftOut);
  scale.update(kMade);

  EXPECT_EQ(factor(scale), 512);
}

TEST(LossScaleTest, StaysBetweenOneAndItsMost) {
  LossScale low = make_scale({.first = 1});
  LossScale high = make_scale({.first = 8, .growth_interval = 1, .most = 10});

  low.update(kLeftOut);
  high.update(kMade);

  EXPECT_EQ(factor(low), 1);
  EXPECT_EQ(factor(high), 10);
}

TEST(LossScaleTest, ResumesFromTheStateItLeft) {
  const LossScaleOptions options{.first = 1024, .growth_interval = 2};
  const torch::Tensor state = LossScale::make_state(options, torch::kCPU);
  LossScale first(options, state);
  first.update(kLeftOut);
  first.update(kMade);

  LossScale second(options, state.clone());
  second.update(kMade);

  EXPECT_EQ(factor(second), 1024);  // 512, and two updates in a row
}

// What a trainer does with it: a gradient that overflowed changes nothing but the scale, and the
// next one is the true gradient again.
TEST(LossScaleTest, LetsAnOptimiserLeaveOutWhatOverflowed) {
  torch::nn::Linear network(3, 2);
  const FlatParameters layout(*network);
  const torch::Tensor weights = layout.adopt(*network, torch::kCPU);
  AdamW optimiser(layout, {}, torch::kCPU);
  LossScale scale = make_scale({.first = 64});
  const torch::Tensor before = weights.clone();
  torch::Tensor gradient = torch::full({layout.size()}, std::numeric_limits<float>::infinity());

  scale.unscale(gradient);
  scale.update(optimiser.update(weights, gradient, 1, 0.1)[1]);
  EXPECT_TRUE(torch::equal(weights, before));
  EXPECT_EQ(factor(scale), 32);

  gradient.fill_(32.0 * 0.25);
  scale.unscale(gradient);
  EXPECT_TRUE(torch::equal(gradient, torch::full_like(gradient, 0.25)));
  scale.update(optimiser.update(weights, gradient, 1, 0.1)[1]);
  EXPECT_FALSE(torch::equal(weights, before));
}

}  // namespace
}  // namespace qanat
