#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/training_sets.h"
#include "locale/says_testing.h"

namespace qanat {
namespace {

auto dropped(std::uint32_t item, ProblemKind kind, const char* detail) {
  return testing::AllOf(testing::Field(&DroppedItem::item, item),
                        testing::Field(&DroppedItem::kind, kind),
                        testing::Field(&DroppedItem::detail, Says(detail)));
}

using testing::ElementsAre;
using testing::IsEmpty;

IndexEntry entry(std::int64_t samples, std::int64_t tokens) {
  return {.samples = SampleCount{samples}, .tokens = TokenCount{tokens}, .usable = true};
}

// Kind of the one item's refusal, or usable.
std::string verdict(std::int64_t samples, std::int64_t tokens) {
  const Partition parts = partition({.entries = {entry(samples, tokens)}}, {});
  return parts.dropped.empty() ? "usable" : std::string(to_string(parts.dropped[0].kind));
}

TEST(PartitionTest, LimitsAreInclusive) {
  EXPECT_EQ(verdict(100'000, 200), "usable");
  EXPECT_EQ(verdict(100'000, 201), "text_too_long");
  EXPECT_EQ(verdict(1024 * 256 + 255, 10), "usable");
  EXPECT_EQ(verdict(std::int64_t{1025} * 256, 10), "audio_too_long");
  EXPECT_EQ(verdict(2205, 8), "usable");
  EXPECT_EQ(verdict(2204, 8), "audio_too_short");
}

TEST(PartitionTest, MoreTokensThanFramesCannotBeAligned) {
  EXPECT_EQ(verdict(std::int64_t{20} * 256, 20), "usable");
  EXPECT_EQ(verdict(std::int64_t{20} * 256, 21), "more_tokens_than_frames");
}

TEST(PartitionTest, AnItemWithoutAFrameIsTooShortWhateverTheLimit) {
  const Partition parts = partition({.entries = {entry(255, 0)}}, {.min_samples = SampleCount{0}});

  EXPECT_EQ(parts.dropped[0].kind, ProblemKind::audio_too_short);
}

TEST(PartitionTest, NothingIsLostAndEverythingDroppedSaysWhy) {
  const DatasetIndex index{
      .entries = {entry(100'000, 10), entry(900'000, 10), {}, entry(50'000, 300)},
      .failures = {{2, ProblemKind::unreadable_audio, "not audio"}},
      .origin = {}};

  const Partition parts = partition(index, {});

  EXPECT_THAT(parts.usable, ElementsAre(0));
  EXPECT_THAT(
      parts.dropped,
      ElementsAre(
          dropped(
              1, ProblemKind::audio_too_long, "audio: 40.82 s, 3515 frames; expected at most 1024"),
          dropped(2, ProblemKind::unreadable_audio, "not audio"),
          dropped(3, ProblemKind::text_too_long, "text: 300 tokens; expected at most 200")));
  EXPECT_EQ(summary(parts), "1 unreadable_audio, 1 text_too_long, 1 audio_too_long");
}

TEST(PartitionTest, AnEmptyIndexHasNothing) {
  EXPECT_THAT(partition({}, {}).usable, IsEmpty());
  EXPECT_EQ(summary({}), "");
}

}  // namespace
}  // namespace qanat
