#include "audio/audio_formats.h"

#include <gmock/gmock.h>

namespace qanat {
namespace {

TEST(AudioFormatsTest, EveryEndingIsThereOnceAndInLowerCase) {
  EXPECT_THAT(audio_endings(), testing::ElementsAre(".wav", ".flac", ".ogg", ".opus", ".mp3"));
}

TEST(AudioFormatsTest, AFileIsAudioByItsEndingInEitherCase) {
  EXPECT_TRUE(has_audio_ending("wavs/a.opus"));
  EXPECT_TRUE(has_audio_ending("A.WAV"));
  EXPECT_FALSE(has_audio_ending("a.wav.txt"));
  EXPECT_FALSE(has_audio_ending("wav"));
  EXPECT_FALSE(has_audio_ending(""));
}

}  // namespace
}  // namespace qanat
