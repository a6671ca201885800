#include "dataset/notable_clips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NotableClipsTest, ThoseAtTheEndsAndOneOfTheMiddle) {
  const std::vector<ClipFacts> clips = {{.length = Seconds{2}, .pace = 14},
                                        {.length = Seconds{9}, .pace = 15},
                                        {.length = Seconds{4}, .pace = 31},
                                        {.length = Seconds{5}, .pace = 0.4},
                                        {.length = Seconds{7}, .pace = 16}};

  EXPECT_THAT(choose_clips(clips, 1),
              ElementsAre(ChosenClip{ClipKind::typical, 3},
                          ChosenClip{ClipKind::shortest, 0},
                          ChosenClip{ClipKind::longest, 1},
                          ChosenClip{ClipKind::fastest, 2},
                          ChosenClip{ClipKind::slowest, 3}));
}

TEST(NotableClipsTest, TheExtremeOneComesFirstAndOfEqualsTheEarlier) {
  const std::vector<ClipFacts> clips = {{.length = Seconds{3}, .pace = 14},
                                        {.length = Seconds{1}, .pace = 14},
                                        {.length = Seconds{2}, .pace = 14}};

  const std::vector<ChosenClip> chosen = choose_clips(clips, 2);

  EXPECT_THAT(std::vector(chosen.begin() + 2, chosen.begin() + 4),
              ElementsAre(ChosenClip{ClipKind::shortest, 1}, ChosenClip{ClipKind::shortest, 2}));
  EXPECT_THAT(std::vector(chosen.begin() + 6, chosen.begin() + 8),
              ElementsAre(ChosenClip{ClipKind::fastest, 0}, ChosenClip{ClipKind::fastest, 1}));
}

TEST(NotableClipsTest, NoMoreThanThereAre) {
  EXPECT_THAT(choose_clips({}, 3), IsEmpty());
  EXPECT_EQ(choose_clips(std::vector<ClipFacts>(2), 3).size(), 2 * kNumClipKinds);
}

}  // namespace
}  // namespace qanat
