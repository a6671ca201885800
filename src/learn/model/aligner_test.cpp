#include "model/aligner.h"

#include <cmath>

#include <gmock/gmock.h>
#include <torch/torch.h>

namespace qanat {
namespace {

AlignmentLengths lengths() {
  return {.tokens = torch::tensor({7, 4}, torch::kInt64),
          .frames = torch::tensor({30, 12}, torch::kInt64),
          .max_tokens = 9,
          .max_frames = 33};
}

double log_beta(double a, double b) {
  return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

TEST(AlignmentPriorTest, IsTheBetaBinomialDistribution) {
  const torch::Tensor prior = log_alignment_prior(lengths());

  const double n = 3, k = 2, a = 6, b = 7;  // row 1, frame 5 of 12, token 2 of 4
  const double choose = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  EXPECT_NEAR(
      prior[1][5][2].item<double>(), choose + log_beta(k + a, n - k + b) - log_beta(a, b), 1e-5);
}

TEST(AlignmentPriorTest, SumsToOneInEveryFrameOfARow) {
  const torch::Tensor prior = log_alignment_prior(lengths());

  const torch::Tensor sums = prior[0].narrow(0, 0, 30).narrow(1, 0, 7).exp().sum(1);
  EXPECT_LT((sums - 1).abs().max().item<double>(), 1e-5);
}

TEST(AlignmentPriorTest, IsFiniteInPadding) {
  EXPECT_TRUE(torch::isfinite(log_alignment_prior(lengths())).all().item<bool>());
}

}  // namespace
}  // namespace qanat
