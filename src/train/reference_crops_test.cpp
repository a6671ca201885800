#include "train/reference_crops.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace qanat {
namespace {

constexpr int kItems = 4000;

std::vector<ReferenceCrop> many(const ReferenceCrops& crops, int frames) {
  std::vector<ReferenceCrop> result;
  for (std::uint32_t item = 0; item < kItems; ++item) {
    result.push_back(crops.crop(0, item, frames));
  }
  return result;
}

TEST(ReferenceCropsTest, ARowHasTheSameCropWhateverItsBatch) {
  const ReferenceCrops crops(7);
  const std::vector<std::uint32_t> items{3, 9, 4};
  const std::vector<std::int32_t> frames{600, 700, 800};

  const std::vector<ReferenceCrop> whole = crops.crops(2, items, frames);
  const std::vector<ReferenceCrop> last =
      crops.crops(2, std::span(items).subspan(2), std::span(frames).subspan(2));

  EXPECT_EQ(last.front(), whole.back());
}

TEST(ReferenceCropsTest, AnotherEpochOrSeedGivesOtherCrops) {
  EXPECT_NE(ReferenceCrops(7).crop(0, 3, 900), ReferenceCrops(7).crop(1, 3, 900));
  EXPECT_NE(ReferenceCrops(7).crop(0, 3, 900), ReferenceCrops(8).crop(0, 3, 900));
}

TEST(ReferenceCropsTest, LiesInsideTheUtteranceAndIsAtMostHalfOfIt) {
  for (const int frames : {2, 3, 100, 300, 1024}) {
    for (const ReferenceCrop& crop : many(ReferenceCrops(1), frames)) {
      ASSERT_GE(crop.first, 0);
      ASSERT_GE(crop.frames, 1);
      ASSERT_LE(crop.first + crop.frames, frames);
      ASSERT_LE(crop.frames, std::max(1, frames / 2));
    }
  }
}

TEST(ReferenceCropsTest, LongUtterancesUseTheWholeRangeOfLengths) {
  const std::vector<ReferenceCrop> crops = many(ReferenceCrops(1), 2000);
  const auto [shortest, longest] =
      std::ranges::minmax(crops, {}, [](const ReferenceCrop& crop) { return crop.frames; });

  EXPECT_LE(shortest.frames, 135);
  EXPECT_GE(shortest.frames, 129);
  EXPECT_GE(longest.frames, 511);
  EXPECT_LE(longest.frames, 517);
}

TEST(ReferenceCropsTest, DropsATenthOfTheConditionsAndMasksHalfOfTheCrops) {
  const std::vector<ReferenceCrop> crops = many(ReferenceCrops(1), 600);
  const auto dropped = std::ranges::count(crops, false, &ReferenceCrop::keep);
  const auto masked = std::ranges::count(crops, true, &ReferenceCrop::masked);

  // Six standard deviations.
  EXPECT_NEAR(static_cast<double>(dropped), 0.1 * kItems, 114);
  EXPECT_NEAR(static_cast<double>(masked), 0.5 * kItems, 190);
}

TEST(ReferenceCropsTest, PlainCropsLeaveNothingToChance) {
  const std::vector<std::int32_t> frames{1, 100, 5000};

  EXPECT_EQ(plain_crops(frames),
            (std::vector<ReferenceCrop>{{.frames = 1}, {.frames = 50}, {.frames = 517}}));
}

}  // namespace
}  // namespace qanat
