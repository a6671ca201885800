#include <gtest/gtest.h>
#include <torch/torch.h>

#include "train/validation.h"

namespace qanat {
namespace {

// Frames of one bin with these values.
torch::Tensor frames(std::vector<float> values) {
  return torch::tensor(values).unsqueeze(1);
}

TEST(MelDistanceTest, IsZeroForTheSameSoundSpokenMoreSlowly) {
  EXPECT_DOUBLE_EQ(warped_distance(frames({1, 2, 3}), frames({1, 1, 2, 2, 2, 3})), 0);
}

TEST(MelDistanceTest, IsTheMeanDifferenceWhenTimingCannotHelp) {
  EXPECT_DOUBLE_EQ(warped_distance(frames({1, 1, 1}), frames({3, 3, 3})), 2);
}

TEST(MelDistanceTest, NeverGoesBackInTime) {
  EXPECT_GT(warped_distance(frames({1, 5}), frames({5, 1})), 1.0);
}

TEST(MelDistanceTest, AveragesOverTheBins) {
  const torch::Tensor a = torch::zeros({2, 4});
  const torch::Tensor b = torch::tensor({{4.0F, 0.0F, 0.0F, 0.0F}, {4.0F, 0.0F, 0.0F, 0.0F}});

  EXPECT_DOUBLE_EQ(warped_distance(a, b), 1);
}

}  // namespace
}  // namespace qanat
