#include "train/clip_losses.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(ClipLossesTest, TheirMeanIsTheLossOverAllFrames) {
  ClipLosses clips;
  clips.add(0, /*loss=*/300, /*frames=*/100);
  clips.add(1, /*loss=*/100, /*frames=*/300);

  EXPECT_THAT(clips.by_group(), ElementsAre(1.5, 0.5));
}

TEST(ClipLossesTest, ManyClipsAreComparedInGroups) {
  ClipLosses clips;
  for (std::size_t clip = 0; clip < 3 * ClipLosses::kGroups; ++clip) {
    clips.add(clip, 2.0 * 10, 10);
  }

  EXPECT_EQ(clips.by_group(), std::vector<double>(ClipLosses::kGroups, 2.0));
}

TEST(ClipLossesTest, AChangeThatAllClipsShareIsCertain) {
  const SinceLowest since =
      compare_clips({.step = 100, .clips = {1, 2, 3, 4}}, std::vector<double>{1.5, 2.5, 3.5, 4.5})
          .value();

  EXPECT_EQ(since.step, 100);
  EXPECT_EQ(since.clips, 4);
  EXPECT_DOUBLE_EQ(since.loss, 2.5);
  EXPECT_DOUBLE_EQ(since.change, 0.5);
  EXPECT_DOUBLE_EQ(since.error, 0);
}

// By hand: differences 2 and 0, mean 1, standard deviation sqrt(2), error 1.
TEST(ClipLossesTest, AChangeOfOneClipOfTwoIsNot) {
  const SinceLowest since =
      compare_clips({.step = 1, .clips = {1, 1}}, std::vector<double>{3, 1}).value();

  EXPECT_DOUBLE_EQ(since.change, 1);
  EXPECT_THAT(since.error, DoubleNear(1, 1e-12));
}

TEST(ClipLossesTest, OtherClipsAreNotCompared) {
  EXPECT_FALSE(compare_clips({.clips = {1, 2}}, std::vector<double>{1, 2, 3}));
  EXPECT_FALSE(compare_clips({.clips = {1}}, std::vector<double>{1}));
  EXPECT_FALSE(compare_clips({.clips = {1, 2}},
                             std::vector<double>{std::numeric_limits<double>::infinity(), 2}));
}

}  // namespace
}  // namespace qanat
