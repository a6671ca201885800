#include "train/reference_crops.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

namespace qanat {
namespace {

constexpr std::size_t kItems = 4000;

// Rows of one length, each of the speaker that `speaker_of` gives to its item.
struct Rows {
  template <typename SpeakerOf>
  Rows(std::size_t count, std::int32_t length, SpeakerOf speaker_of)
      : items(count), speakers(count), frames(count, length) {
    std::iota(items.begin(), items.end(), 0U);
    std::ranges::transform(items, speakers.begin(), speaker_of);
  }
  BatchRows get() const { return {.items = items, .speakers = speakers, .frames = frames}; }

  std::vector<std::uint32_t> items;
  std::vector<std::int32_t> speakers;
  std::vector<std::int32_t> frames;
};

Rows rows_of_one_speaker(std::size_t count, std::int32_t length) {
  return {count, length, [](std::uint32_t) { return 5; }};
}

Rows rows_of_a_speaker_each(std::size_t count, std::int32_t length) {
  return {count, length, [](std::uint32_t item) { return static_cast<std::int32_t>(item); }};
}

TEST(ReferenceCropsTest, TheSameBatchHasTheSameCropsAgain) {
  const Rows rows = rows_of_one_speaker(16, 700);

  EXPECT_EQ(ReferenceCrops(7).crops(2, rows.get()), ReferenceCrops(7).crops(2, rows.get()));
}

TEST(ReferenceCropsTest, AnotherEpochOrSeedGivesOtherCrops) {
  const Rows rows = rows_of_one_speaker(16, 700);

  EXPECT_NE(ReferenceCrops(7).crops(0, rows.get()), ReferenceCrops(7).crops(1, rows.get()));
  EXPECT_NE(ReferenceCrops(7).crops(0, rows.get()), ReferenceCrops(8).crops(0, rows.get()));
}

TEST(ReferenceCropsTest, ARowIsShownAnotherUtteranceOfItsSpeaker) {
  const Rows rows(60, 300, [](std::uint32_t item) { return static_cast<int>(item / 2 % 3); });
  const std::vector<ReferenceCrop> crops = ReferenceCrops(1).crops(0, rows.get());

  for (std::size_t row = 0; row < crops.size(); ++row) {
    const auto shown = static_cast<std::size_t>(crops[row].row);
    EXPECT_NE(shown, row);
    EXPECT_EQ(rows.speakers[shown], rows.speakers[row]);
  }
}

// Processes that share a batch show what one process would show, whoever speaks in it: rows whose
// partner is of another speaker have others of theirs in some parts and not in others.
class SharedCropsTest : public testing::TestWithParam<int> {};  // processes

TEST_P(SharedCropsTest, APartOfABatchHasTheCropsOfTheWholeOne) {
  Rows whole(24, 0, [](std::uint32_t item) { return static_cast<int>(item * item % 7); });
  for (std::size_t i = 0; i < whole.frames.size(); ++i) {
    whole.frames[i] = static_cast<std::int32_t>(300 + 31 * i);
  }
  const BatchRows rows = whole.get();
  const auto count = static_cast<std::size_t>(24 / GetParam());

  const std::vector<ReferenceCrop> all = ReferenceCrops(7).crops(2, rows);
  std::vector<ReferenceCrop> parts;
  for (std::size_t first = 0; first < 24; first += count) {
    for (ReferenceCrop crop :
         ReferenceCrops(7).crops(2,
                                 {.items = rows.items.subspan(first, count),
                                 .speakers = rows.speakers.subspan(first, count),
                                 .frames = rows.frames.subspan(first, count),
                                 .first = static_cast<int>(first)})) {
      crop.row += static_cast<int>(first);
      parts.push_back(crop);
    }
  }

  EXPECT_EQ(parts, all);
}

INSTANTIATE_TEST_SUITE_P(Worlds, SharedCropsTest, testing::Values(2, 3, 4, 6, 12));

// Rows 5 to 9 of ten: the partner of the first is elsewhere, the others keep theirs.
TEST(ReferenceCropsTest, AnOddPartLosesOnlyTheRowAtItsEdge) {
  const Rows whole = rows_of_one_speaker(10, 700);
  const BatchRows rows = whole.get();

  const std::vector<ReferenceCrop> crops =
      ReferenceCrops(7).crops(2,
                              {.items = rows.items.subspan(5),
                               .speakers = rows.speakers.subspan(5),
                               .frames = rows.frames.subspan(5),
                               .first = 5});

  std::vector<int> shown;
  for (const ReferenceCrop& crop : crops) {
    shown.push_back(crop.row);
  }
  EXPECT_EQ(shown, (std::vector<int>{0, 2, 1, 4, 3}));
}

TEST(ReferenceCropsTest, AnUtteranceThatIsInTheBatchTwiceIsNotAnother) {
  Rows rows = rows_of_one_speaker(2, 300);
  rows.items = {9, 9};

  const std::vector<ReferenceCrop> crops = ReferenceCrops(1).crops(0, rows.get());

  EXPECT_EQ(crops[0].row, 0);
  EXPECT_EQ(crops[1].row, 1);
}

TEST(ReferenceCropsTest, ARowWithoutAnotherIsShownAtMostHalfOfItsOwn) {
  for (const int frames : {1, 2, 3, 100, 300, 1024}) {
    const Rows rows = rows_of_a_speaker_each(500, frames);
    const std::vector<ReferenceCrop> crops = ReferenceCrops(1).crops(0, rows.get());
    for (std::size_t row = 0; row < crops.size(); ++row) {
      ASSERT_EQ(crops[row].row, static_cast<int>(row));
      ASSERT_GE(crops[row].first, 0);
      ASSERT_LE(crops[row].first + crops[row].frames, frames);
      ASSERT_LE(crops[row].frames, frames / 2);
    }
  }
}

TEST(ReferenceCropsTest, ACropLiesInsideTheUtteranceItIsOf) {
  for (const int frames : {1, 3, 100, 300, 1024}) {
    for (const ReferenceCrop& crop :
         ReferenceCrops(1).crops(0, rows_of_one_speaker(500, frames).get())) {
      ASSERT_GE(crop.first, 0);
      ASSERT_LE(crop.first + crop.frames, frames);
      ASSERT_LE(crop.frames, longest_reference(frames));
    }
  }
}

TEST(ReferenceCropsTest, LongUtterancesUseTheWholeRangeOfLengths) {
  const Rows rows = rows_of_a_speaker_each(kItems, 2000);
  std::vector<int> lengths;
  for (const ReferenceCrop& crop : ReferenceCrops(1).crops(0, rows.get())) {
    if (crop.frames > 0) {
      lengths.push_back(crop.frames);
    }
  }
  const auto [shortest, longest] = std::ranges::minmax(lengths);

  EXPECT_LE(shortest, 135);
  EXPECT_GE(shortest, 129);
  EXPECT_GE(longest, 511);
  EXPECT_LE(longest, 517);
}

// A voice by name, by a recording, by both and by neither: all of them are trained.
TEST(ReferenceCropsTest, ReferenceAndSpeakerAreLeftOutIndependently) {
  const Rows rows = rows_of_a_speaker_each(kItems, 600);
  std::map<std::pair<bool, bool>, int> counts;  // by reference and speaker
  for (const ReferenceCrop& crop : ReferenceCrops(1).crops(0, rows.get())) {
    ++counts[{crop.frames > 0, crop.show_speaker}];
  }

  // Six standard deviations.
  EXPECT_NEAR((counts[{true, true}]), 0.4 * kItems, 186);
  EXPECT_NEAR((counts[{true, false}]), 0.4 * kItems, 186);
  EXPECT_NEAR((counts[{false, true}]), 0.1 * kItems, 114);
  EXPECT_NEAR((counts[{false, false}]), 0.1 * kItems, 114);
}

}  // namespace
}  // namespace qanat
