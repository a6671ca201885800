#include "train/optimiser.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "base/error.h"

namespace qanat {
namespace {

TensorMap state_of(const AdamW& optimiser) {
  return optimiser.state([](const torch::Tensor& block) { return block; });
}

// Two matrices and two vectors, so that something is decayed and something is not.
torch::nn::Sequential make_network(std::uint64_t seed = 1) {
  torch::manual_seed(seed);
  return torch::nn::Sequential(torch::nn::Linear(7, 5), torch::nn::Linear(5, 3));
}

torch::Tensor make_gradient(const FlatParameters& layout, std::int64_t step) {
  torch::manual_seed(static_cast<std::uint64_t>(100 + step));
  torch::Tensor block = layout.make_block(torch::kCPU);
  for (const auto& [name, view] : layout.views(block)) {
    view.copy_(torch::randn_like(view));
  }
  return block;
}

TEST(FlatParametersTest, ParametersBecomeViewsOfTheBlockAndKeepTheirValues) {
  torch::nn::Sequential network = make_network();
  const torch::Tensor before = network->parameters()[0].clone();
  const FlatParameters layout(*network);

  const torch::Tensor block = layout.adopt(*network, torch::kCPU);

  EXPECT_TRUE(torch::equal(network->parameters()[0], before));
  block.fill_(3.0F);
  EXPECT_TRUE(torch::equal(network->parameters()[0], torch::full({5, 7}, 3.0F)));
  EXPECT_EQ(layout.num_parameters(), 7 * 5 + 5 + 5 * 3 + 3);
}

TEST(FlatParametersTest, RefusesTensorsOfAnotherNetworkByName) {
  torch::nn::Sequential network = make_network();
  const FlatParameters layout(*network);
  const torch::Tensor block = layout.make_block(torch::kCPU);
  TensorMap values = layout.views(block);
  values["1.weight"] = torch::zeros({3, 6});

  try {
    layout.load(block, values, "weights of");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("1.weight: shape [3, 6]; expected [3, 5]"));
  }
}

TEST(AdamWTest, AgreesWithLibtorchOnMatricesAndVectors) {
  torch::nn::Sequential ours = make_network();
  torch::nn::Sequential theirs = make_network();
  const FlatParameters layout(*ours);
  const torch::Tensor weights = layout.adopt(*ours, torch::kCPU);
  AdamW optimiser(layout, {.weight_decay = 0.01, .gradient_clip = 0}, torch::kCPU);
  std::vector<torch::Tensor> matrices;
  std::vector<torch::Tensor> vectors;
  for (torch::Tensor& parameter : theirs->parameters()) {
    (parameter.dim() >= 2 ? matrices : vectors).push_back(parameter);
  }
  const auto options = [](double decay) {
    return torch::optim::AdamWOptions(1e-2).betas({0.9, 0.98}).weight_decay(decay);
  };
  torch::optim::AdamW with_decay(matrices, options(0.01));
  torch::optim::AdamW without_decay(vectors, options(0));

  for (std::int64_t step = 0; step < 20; ++step) {
    const torch::Tensor gradient = make_gradient(layout, step);
    const TensorMap slopes = layout.views(gradient);
    for (auto& parameter : theirs->named_parameters()) {
      parameter.value().mutable_grad() = slopes.at(parameter.key()).clone() / 4;
    }
    with_decay.step();
    without_decay.step();
    optimiser.update(weights, gradient, 4, 1e-2);
  }

  for (const auto& parameter : ours->named_parameters()) {
    EXPECT_TRUE(
        torch::allclose(parameter.value(), theirs->named_parameters()[parameter.key()], 1e-5, 1e-6))
        << parameter.key();
  }
}

TEST(AdamWTest, TensorOperationsGiveTheSameAsTheHostLoop) {
  torch::nn::Sequential network = make_network();
  const FlatParameters layout(*network);
  const torch::Tensor by_loop = layout.adopt(*network, torch::kCPU);
  const torch::Tensor by_tensors = by_loop.clone();
  AdamW loop(layout, {}, torch::kCPU);
  AdamW tensors(layout, {.kernel = AdamKernel::tensor_operations}, torch::kCPU);

  for (std::int64_t step = 0; step < 20; ++step) {
    torch::Tensor gradient = make_gradient(layout, step);
    if (step == 3) {
      gradient[2] = std::numeric_limits<float>::infinity();  // left out by both
    }
    const torch::Tensor a = loop.update(by_loop, gradient, 2, 1e-2);
    const torch::Tensor b = tensors.update(by_tensors, gradient, 2, 1e-2);
    EXPECT_TRUE(torch::allclose(a, b, 1e-5)) << a << b;
  }

  EXPECT_TRUE(torch::allclose(by_loop, by_tensors, 1e-5, 1e-6));
}

class FrozenTest : public testing::TestWithParam<AdamKernel> {};

TEST_P(FrozenTest, KeepsItsValuesToTheBitAndIsNotInTheNorm) {
  torch::nn::Sequential network = make_network();
  const FlatParameters layout(*network);
  const torch::Tensor weights = layout.adopt(*network, torch::kCPU);
  const torch::Tensor before = weights.clone();
  AdamW optimiser(layout,
                  {.weight_decay = 0.5,
                   .kernel = GetParam(),
                   .frozen = [](const std::string& name) { return name.starts_with("0."); }},
                  torch::kCPU);

  torch::Tensor gradient = make_gradient(layout, 0);
  layout.views(gradient).at("0.weight").fill_(1e6F);
  const double norm = torch::sqrt(layout.views(gradient).at("1.weight").square().sum() +
                                  layout.views(gradient).at("1.bias").square().sum())
                          .item<double>();
  const torch::Tensor numbers = optimiser.update(weights, gradient, 1, 1e-2);

  const TensorMap was = layout.views(before);
  const TensorMap is = layout.views(weights);
  EXPECT_NEAR(numbers[0].item<double>(), norm, 1e-4);
  EXPECT_TRUE(torch::equal(is.at("0.weight"), was.at("0.weight")));
  EXPECT_TRUE(torch::equal(is.at("0.bias"), was.at("0.bias")));
  EXPECT_FALSE(torch::equal(is.at("1.weight"), was.at("1.weight")));
  EXPECT_FALSE(torch::equal(is.at("1.bias"), was.at("1.bias")));
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         FrozenTest,
                         testing::Values(AdamKernel::automatic, AdamKernel::tensor_operations));

TEST(AdamWTest, LibtorchsFusedKernelDoesWhatTheLoopDoes) {
  if (!has_fused_adam()) {
    GTEST_SKIP() << "this libtorch has no fused AdamW; ./dev cuda-build brings one that has";
  }
  torch::nn::Sequential network = make_network();
  const FlatParameters layout(*network);
  const torch::Tensor by_loop = layout.adopt(*network, torch::kCPU);
  const torch::Tensor by_kernel = by_loop.clone();
  AdamW loop(layout, {.weight_decay = 0.1}, torch::kCPU);
  AdamW fused(layout, {.weight_decay = 0.1, .kernel = AdamKernel::fused}, torch::kCPU);

  for (int step = 0; step < 6; ++step) {
    torch::Tensor gradient = make_gradient(layout, step);
    if (step == 3) {
      gradient[2] = std::numeric_limits<float>::infinity();  // left out by both
    }
    const torch::Tensor a = loop.update(by_loop, gradient, 2, 1e-2);
    const torch::Tensor b = fused.update(by_kernel, gradient, 2, 1e-2);
    EXPECT_TRUE(torch::allclose(a, b, 1e-5)) << a << b;
  }

  EXPECT_TRUE(torch::allclose(by_loop, by_kernel, 1e-5, 1e-6));
  EXPECT_EQ(state_of(fused).at("updates").item<double>(), 5);
}

TEST(AdamWTest, DecaysMatricesOnly) {
  torch::nn::Sequential network = make_network();
  const FlatParameters layout(*network);
  const torch::Tensor weights = layout.adopt(*network, torch::kCPU);
  const torch::Tensor before = weights.clone();
  AdamW optimiser(layout, {.weight_decay = 0.5}, torch::kCPU);

  optimiser.update(weights, layout.make_block(torch::kCPU), 1, 0.1);

  for (const auto& [name, after] : layout.views(weights)) {
    const torch::Tensor was = layout.views(before).at(name);
    EXPECT_TRUE(torch::allclose(after, after.dim() >= 2 ? was * 0.95 : was)) << name;
  }
}

TEST(AdamWTest, ClipsByTheNormOfAllGradientsTogether) {
  torch::nn::Sequential network = make_network();
  const FlatParameters layout(*network);
  const torch::Tensor weights = layout.adopt(*network, torch::kCPU);
  const torch::Tensor gradient = make_gradient(layout, 0);
  const auto norm = gradient.norm().item<float>();
  AdamW clipped(layout, {.gradient_clip = 0.5 * norm}, torch::kCPU);
  AdamW halved(layout, {.gradient_clip = 0}, torch::kCPU);
  const torch::Tensor other = weights.clone();

  const torch::Tensor numbers = clipped.update(weights, gradient, 1, 1e-2);
  halved.update(other, gradient, 2, 1e-2);

  EXPECT_NEAR(numbers[0].item<float>(), norm, 1e-4);
  EXPECT_TRUE(torch::allclose(
      state_of(clipped).at("first.0.weight"), state_of(halved).at("first.0.weight"), 1e-5));
}

TEST(AdamWTest, LeavesOutAnUpdateWhoseGradientIsNotFinite) {
  torch::nn::Sequential network = make_network();
  const FlatParameters layout(*network);
  const torch::Tensor weights = layout.adopt(*network, torch::kCPU);
  const torch::Tensor before = weights.clone();
  torch::Tensor gradient = make_gradient(layout, 0);
  gradient[5] = std::numeric_limits<float>::quiet_NaN();
  AdamW optimiser(layout, {}, torch::kCPU);

  const torch::Tensor numbers = optimiser.update(weights, gradient, 1, 1e-2);

  EXPECT_EQ(numbers[1].item<float>(), 0.0F);
  EXPECT_TRUE(torch::equal(weights, before));
  EXPECT_EQ(state_of(optimiser).at("updates").item<double>(), 0);
}

TEST(AdamWTest, GoesOnFromASavedStateToTheBit) {
  torch::nn::Sequential network = make_network();
  const FlatParameters layout(*network);
  const torch::Tensor weights = layout.adopt(*network, torch::kCPU);
  AdamW first(layout, {}, torch::kCPU);
  first.update(weights, make_gradient(layout, 0), 1, 1e-2);
  const torch::Tensor copy = weights.clone();
  AdamW second(layout, {}, torch::kCPU);

  second.load_state(state_of(first));
  first.update(weights, make_gradient(layout, 1), 1, 1e-2);
  second.update(copy, make_gradient(layout, 1), 1, 1e-2);

  EXPECT_TRUE(torch::equal(weights, copy));
}

TEST(AdamWTest, TheResultDoesNotDependOnTheNumberOfThreads) {
  torch::nn::Linear network(301, 257);  // several blocks of the norm
  const FlatParameters layout(*network);
  const torch::Tensor weights = layout.adopt(*network, torch::kCPU);
  const torch::Tensor copy = weights.clone();
  const torch::Tensor gradient = make_gradient(layout, 0);
  AdamW one(layout, {}, torch::kCPU);
  AdamW two(layout, {}, torch::kCPU);
  const int threads = at::get_num_threads();

  at::set_num_threads(1);
  const torch::Tensor a = one.update(weights, gradient, 1, 1e-2);
  at::set_num_threads(2);
  const torch::Tensor b = two.update(copy, gradient, 1, 1e-2);
  at::set_num_threads(threads);

  EXPECT_TRUE(torch::equal(a, b));
  EXPECT_TRUE(torch::equal(weights, copy));
}

TEST(EmaUpdateTest, FollowsFastAtFirstAndSlowlyLater) {
  const torch::Tensor weights = torch::ones({1});
  torch::Tensor early = torch::zeros({1});
  torch::Tensor late = torch::zeros({1});

  ema_update(early, weights, 0.999, 0);
  ema_update(late, weights, 0.999, 1'000'000);

  EXPECT_NEAR(early.item<float>(), 0.9F, 1e-6F);
  EXPECT_NEAR(late.item<float>(), 0.001F, 1e-6F);
}

}  // namespace
}  // namespace qanat
