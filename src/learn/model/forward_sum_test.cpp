#include "model/forward_sum.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include "model/model_testing.h"

namespace qanat {
namespace {

struct Case {
  torch::Tensor log_probability;  // [B, T, N]
  torch::Tensor token_lengths;
  torch::Tensor mel_lengths;
};

Case random_case(double spread) {
  torch::manual_seed(4);
  return {torch::log_softmax(torch::randn({3, 60, 20}) * spread, 2),
          torch::tensor({20, 7, 13}, torch::kInt64),
          torch::tensor({60, 41, 13}, torch::kInt64)};
}

struct LossAndGradient {
  torch::Tensor loss;
  torch::Tensor gradient;
};

template <typename Loss>
LossAndGradient differentiate(const Case& c, torch::ScalarType type, Loss loss) {
  const torch::Tensor x = c.log_probability.to(type).detach().requires_grad_();
  const torch::Tensor value = loss(x, c.token_lengths, c.mel_lengths);
  (value * torch::tensor({1.0, 2.0, 3.0}, value.options())).sum().backward();
  return {value.detach(), x.grad()};
}

void expect_equal_to_double(const Case& c, double tolerance) {
  const LossAndGradient ours = differentiate(c, torch::kFloat32, forward_sum);
  const LossAndGradient oracle = differentiate(c, torch::kFloat64, forward_sum_by_logarithms);

  EXPECT_LT(relative_error(ours.loss, oracle.loss), 1e-6);
  // The oracle leaves something at tokens that are padding: the softmax knows no lengths.
  for (std::int64_t b = 0; b < 3; ++b) {
    const std::int64_t tokens = c.token_lengths[b].item<std::int64_t>();
    EXPECT_LT(relative_error(ours.gradient[b].narrow(1, 0, tokens),
                             oracle.gradient[b].narrow(1, 0, tokens)),
              tolerance)
        << b;
  }
}

// Padding as the aligner makes it.
Case masked(Case c) {
  const torch::Tensor token = torch::arange(c.log_probability.size(2));
  const torch::Tensor padding = token.unsqueeze(0) >= c.token_lengths.unsqueeze(1);
  c.log_probability = c.log_probability.masked_fill(padding.unsqueeze(1), -1e4);
  return c;
}

TEST(ForwardSumTest, EqualsTheLossByLogarithmsInDouble) {
  expect_equal_to_double(masked(random_case(1)), 1e-5);
}

TEST(ForwardSumTest, EqualsItForPeakedProbabilities) {
  expect_equal_to_double(masked(random_case(8)), 1e-5);
}

TEST(ForwardSumTest, EqualsItWhereProbabilitiesVanish) {
  Case c = masked(random_case(1));
  c.log_probability = c.log_probability * 60;  // all paths are below the smallest double

  // By logarithms of thousands in single precision.
  expect_equal_to_double(c, 1e-3);
}

TEST(ForwardSumTest, SumsOverEveryAlignmentOfTwoTokensInThreeFrames) {
  torch::manual_seed(5);
  const torch::Tensor x = torch::randn({1, 3, 2});
  const torch::Tensor p =
      torch::softmax(torch::constant_pad_nd(x, {1, 0}, -1).to(torch::kFloat64), 2)[0];
  const auto at = [&](int t, int state) { return p[t][state].item<double>(); };
  const int paths[][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {1, 1, 2}, {1, 2, 2}};
  double sum = 0;
  for (const auto& path : paths) {
    sum += at(0, path[0]) * at(1, path[1]) * at(2, path[2]);
  }

  const torch::Tensor loss =
      forward_sum(x, torch::tensor({2}, torch::kInt64), torch::tensor({3}, torch::kInt64));

  EXPECT_NEAR(loss.item<double>(), -std::log(sum), 1e-6);
}

}  // namespace
}  // namespace qanat
