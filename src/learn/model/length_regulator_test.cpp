#include "model/length_regulator.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

namespace qanat {
namespace {

TEST(LengthRegulatorTest, RepeatsEveryTokenAsLongAsItLasts) {
  const torch::Tensor durations = torch::tensor({2, 1, 3, 1, 2, 0}, torch::kInt64).view({2, 3});
  const torch::Tensor x = torch::arange(1, 7).to(torch::kFloat32).view({2, 3, 1});

  const torch::Tensor y = repeat_tokens(x, place_frames(durations, 7, x.options()));

  const torch::Tensor expected =
      torch::tensor({1, 1, 2, 3, 3, 3, 0, 4, 5, 5, 0, 0, 0, 0}, torch::kFloat32).view({2, 7, 1});
  EXPECT_TRUE(torch::equal(y, expected)) << y.flatten();
}

TEST(LengthRegulatorTest, SaysHowFarIntoItsTokenAFrameIs) {
  const torch::Tensor durations = torch::tensor({4, 1}, torch::kInt64).view({1, 2});

  const FramePlaces places = place_frames(durations, 6, torch::kFloat32);

  const torch::Tensor phase = places.phase[0].select(1, 0);
  const torch::Tensor expected = torch::tensor({-0.375, -0.125, 0.125, 0.375, 0.0, 0.0});
  EXPECT_TRUE(torch::allclose(phase, expected.to(torch::kFloat32))) << phase;
  EXPECT_TRUE(torch::equal(places.valid.flatten(),
                           torch::tensor({1., 1., 1., 1., 1., 0.}).to(torch::kFloat32)));
}

}  // namespace
}  // namespace qanat
