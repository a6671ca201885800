#include <gmock/gmock.h>

#include "model/model_testing.h"
#include "model/xtts_model.h"

namespace qanat {
namespace {

// One row of 2 tokens and 4 frames, padded to 3 and 6.
struct Row {
  ModelBatch batch;
  Alignment alignment;
  ModelOutput output;
  torch::Tensor durations;
};

Row make_row() {
  Row row;
  row.batch.token_lengths = torch::tensor({2}, torch::kInt64);
  row.batch.mel_lengths = torch::tensor({4}, torch::kInt64);
  row.batch.mel_weights = torch::tensor({1.F, 1.F, 0.F, 1.F, 0.F, 0.F}).unsqueeze(0);
  row.output.target = torch::zeros({1, 6, 80});
  row.output.mel = torch::arange(6).to(torch::kFloat32).view({1, 6, 1}).expand({1, 6, 80});
  row.output.prior_mean = row.output.mel * 2;
  row.output.log_durations = torch::tensor({0.F, 1.F, 9.F}).unsqueeze(0);
  row.durations = torch::tensor({1, 3, 0}, torch::kInt64).unsqueeze(0);
  row.alignment.log_probability =
      torch::zeros({1, 6, 3}).index_fill_(2, torch::tensor({2}, torch::kInt64), -1e4);
  return row;
}

LossParts losses_of(const Row& row) {
  return row_losses(row.batch, row.alignment, row.output, row.durations);
}

TEST(LossesTest, AreMeansOverTheFramesThatCount) {
  const LossParts parts = losses_of(make_row());

  EXPECT_FLOAT_EQ(parts.mel.item<float>(), (0 + 1 + 3) / 3.F);
  EXPECT_FLOAT_EQ(parts.prior.item<float>(), 2 * (0 + 1 + 3) / 3.F);
  EXPECT_EQ(parts.postnet_mel.item<float>(), 0);
}

TEST(LossesTest, MeasureDurationsByTheirLogarithm) {
  const LossParts parts = losses_of(make_row());

  const float wrong = 1 - std::log(3.F);
  EXPECT_NEAR(parts.duration.item<float>(), wrong * wrong / 2, 1e-6);
}

TEST(LossesTest, MeasureHowSureTheAlignmentIs) {
  Row row = make_row();
  EXPECT_NEAR(losses_of(row).binarisation.item<float>(), std::log(2.F), 1e-6);

  row.alignment.log_probability[0][0][0] = 30;
  row.alignment.log_probability.slice(1, 1).select(2, 1).fill_(30);

  EXPECT_NEAR(losses_of(row).binarisation.item<float>(), 0, 1e-6);
}

TEST(LossesTest, DivideTheForwardSumByTheTokens) {
  const LossParts parts = losses_of(make_row());

  // Two tokens in four frames: 3 ways without a frame of no token (weight e^-1), 6 ways with one
  // (before, between or after the tokens), 6 ways with two.
  const double blank = std::exp(-1.0);
  const double all = 2 + blank, paths = 3 + 6 * blank + 6 * blank * blank;
  EXPECT_NEAR(parts.forward_sum.item<float>(), -std::log(paths / std::pow(all, 4)) / 2, 1e-5);
}

TEST(LossesTest, AreWeightedByPartAndRow) {
  LossParts parts;
  const torch::Tensor one = torch::tensor({1.F, 2.F});
  parts.mel = parts.postnet_mel = parts.prior = parts.forward_sum = one;
  parts.binarisation = parts.duration = one;
  LossWeights weights;
  weights.binarisation = 0.1;

  const torch::Tensor loss = weighted_loss(parts, weights, torch::tensor({10, 1}, torch::kInt64));

  EXPECT_FLOAT_EQ(loss.item<float>(), (1 + 1 + 0.5F + 0.5F + 0.1F + 0.1F) * (10 * 1 + 1 * 2));
}

}  // namespace
}  // namespace qanat
