#include "dataset/sound_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/says_testing.h"

namespace qanat {
namespace {

auto finding(ProblemKind kind, const char* detail) {
  return testing::AllOf(testing::Field(&SoundFinding::kind, kind),
                        testing::Field(&SoundFinding::detail, Says(detail)));
}

using testing::ElementsAre;
using testing::IsEmpty;

SoundFacts facts_with(const SoundLevels& levels) {
  return {.rate = SampleRate{22050}, .channels = 1, .levels = levels};
}

TEST(SoundFindingsTest, AGoodClipGivesNoReasonToSpeak) {
  EXPECT_THAT(sound_findings(facts_with({.clipped_share = 0.0005,
                                         .leading_silence = Seconds{0.4},
                                         .trailing_silence = Seconds{0.9}}),
                             {}),
              IsEmpty());
}

TEST(SoundFindingsTest, SilenceIsFoundWholeAndAtTheEnds) {
  EXPECT_THAT(sound_findings(facts_with({.silent = true, .leading_silence = Seconds{3}}), {}),
              ElementsAre(finding(ProblemKind::silence, "sound: none above -60 dB")));
  EXPECT_THAT(sound_findings(facts_with({.trailing_silence = Seconds{2.5}}), {}),
              ElementsAre(finding(ProblemKind::silence,
                                  "silence: 0.00 s before and 2.50 s after the speech")));
}

TEST(SoundFindingsTest, ClippingIsSaidWithItsShare) {
  EXPECT_THAT(sound_findings(facts_with({.clipped_share = 0.0123}), {}),
              ElementsAre(finding(ProblemKind::clipping, "clipping: 1.23 % of the samples")));
}

TEST(SoundFindingsTest, SamplesThatAreNoNumbersAreDamage) {
  EXPECT_THAT(sound_findings(facts_with({.silent = true, .non_finite = 3}), {}),
              ElementsAre(finding(ProblemKind::damaged_audio, "samples: 3 are no numbers")));
}

TEST(SoundFindingsTest, RateAndChannelsNeedOnlyTheHeader) {
  EXPECT_THAT(sound_findings({.rate = SampleRate{48000}, .channels = 2, .levels = {}}, {}),
              ElementsAre(finding(ProblemKind::other_rate, "rate: 48000 Hz; expected 22050"),
                          finding(ProblemKind::several_channels, "channels: 2")));
}

TEST(SoundFindingsTest, FormatsHaveNames) {
  EXPECT_THAT(format_name(SampleRate{22050}, 1), Says("22050 Hz mono"));
  EXPECT_THAT(format_name(SampleRate{48000}, 2), Says("48000 Hz stereo"));
  EXPECT_THAT(format_name(SampleRate{8000}, 6), Says("8000 Hz 6 channels"));
}

}  // namespace
}  // namespace qanat
