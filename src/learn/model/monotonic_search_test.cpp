#include "model/monotonic_search.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include "base/error.h"

namespace qanat {
namespace {

double score(const torch::Tensor& scores, const std::vector<std::int64_t>& durations) {
  double sum = 0;
  std::int64_t frame = 0;
  for (std::size_t n = 0; n < durations.size(); ++n) {
    for (std::int64_t i = 0; i < durations[n]; ++i) {
      sum += scores[frame++][static_cast<std::int64_t>(n)].item<double>();
    }
  }
  return sum;
}

// The best score over all ways to share `frames` among the tokens from `token` on.
double best_by_trying(const torch::Tensor& scores,
                      std::vector<std::int64_t>& durations,
                      std::size_t token,
                      std::int64_t frames) {
  if (token + 1 == durations.size()) {
    durations[token] = frames;
    return score(scores, durations);
  }
  double best = -1e30;
  const auto others = static_cast<std::int64_t>(durations.size() - token - 1);
  for (std::int64_t d = 1; d <= frames - others; ++d) {
    durations[token] = d;
    best = std::max(best, best_by_trying(scores, durations, token + 1, frames - d));
  }
  return best;
}

class MonotonicSearchTest : public testing::TestWithParam<int> {};

TEST_P(MonotonicSearchTest, FindsTheBestOfAllAlignments) {
  torch::manual_seed(static_cast<std::uint64_t>(GetParam()));
  const std::int64_t tokens = 1 + GetParam() % 5;
  const std::int64_t frames = tokens + GetParam() % 6;
  const torch::Tensor scores = torch::randn({1, frames + 2, tokens + 1}) * 3;

  const torch::Tensor durations =
      monotonic_durations(scores, torch::tensor({tokens}), torch::tensor({frames}));

  const torch::Tensor real = durations[0].narrow(0, 0, tokens);
  EXPECT_EQ(real.sum().item<std::int64_t>(), frames);
  EXPECT_GE(real.min().item<std::int64_t>(), 1);
  EXPECT_EQ(durations[0][tokens].item<std::int64_t>(), 0);
  const std::vector<std::int64_t> found(real.data_ptr<std::int64_t>(),
                                        real.data_ptr<std::int64_t>() + tokens);
  std::vector<std::int64_t> tried(static_cast<std::size_t>(tokens));
  EXPECT_NEAR(score(scores[0], found), best_by_trying(scores[0], tried, 0, frames), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(RandomGrids, MonotonicSearchTest, testing::Range(0, 60));

TEST(MonotonicSearchRowsTest, TreatsEveryRowByItself) {
  torch::manual_seed(3);
  const torch::Tensor scores = torch::randn({2, 30, 8});
  const torch::Tensor tokens = torch::tensor({8, 3}, torch::kInt64);
  const torch::Tensor frames = torch::tensor({30, 17}, torch::kInt64);

  const torch::Tensor both = monotonic_durations(scores, tokens, frames);
  const torch::Tensor second =
      monotonic_durations(scores.slice(0, 1), tokens.slice(0, 1), frames.slice(0, 1));

  EXPECT_TRUE(torch::equal(both[1], second[0]));
}

TEST(MonotonicSearchRowsTest, GivesEveryTokenAFrameWhateverTheScores) {
  const torch::Tensor scores = torch::full({1, 9, 6}, std::nanf(""));

  const torch::Tensor durations = monotonic_durations(
      scores, torch::tensor({6}, torch::kInt64), torch::tensor({9}, torch::kInt64));

  EXPECT_GE(durations.min().item<std::int64_t>(), 1);
  EXPECT_EQ(durations.sum().item<std::int64_t>(), 9);
}

TEST(MonotonicSearchRowsTest, RefusesMoreTokensThanFrames) {
  EXPECT_THROW(monotonic_durations(torch::zeros({1, 3, 4}),
                                   torch::tensor({4}, torch::kInt64),
                                   torch::tensor({3}, torch::kInt64)),
               Error);
}

}  // namespace
}  // namespace qanat
