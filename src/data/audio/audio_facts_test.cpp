#include "audio/audio_facts.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "audio/test_audio.h"

namespace qanat {
namespace {

class AudioFactsTest : public AudioFilesTest {
 protected:
  AudioFacts inspect(const SndfileFormat& format, const std::vector<float>& samples) const {
    write_sndfile(file("a.wav"), format, samples);
    const Result<AudioFacts> facts = inspect_audio(file("a.wav"));
    EXPECT_TRUE(facts) << facts.failure().what;
    return facts.value();
  }
};

TEST_F(AudioFactsTest, MeasuresTheLevel) {
  const AudioFacts facts = inspect({}, sine(441, 22050, 22050));

  EXPECT_EQ(facts.header.samples, SampleCount{22050});
  EXPECT_NEAR(facts.peak, 0.5, 2e-3);
  EXPECT_EQ(facts.clipped_fraction, 0);
  EXPECT_FALSE(facts.silent);
}

TEST_F(AudioFactsTest, CountsSamplesAtFullScale) {
  const AudioFacts facts = inspect({.channels = 2}, {1.0F, -1.0F, 0.5F, 0.5F});

  EXPECT_DOUBLE_EQ(facts.clipped_fraction, 0.5);
}

TEST_F(AudioFactsTest, FindsTheSilenceAroundTheSpeech) {
  std::vector<float> samples(22050 / 2);
  const std::vector<float> speech = sine(441, 22050, 22050);
  samples.insert(samples.end(), speech.begin(), speech.end());
  samples.resize(samples.size() + 22050 / 4);

  const AudioFacts facts = inspect({}, samples);

  EXPECT_NEAR(facts.leading_silence.count(), 0.5, 0.011);
  EXPECT_NEAR(facts.trailing_silence.count(), 0.25, 0.011);
}

TEST_F(AudioFactsTest, SaysThatAFileIsSilent) {
  const AudioFacts facts = inspect({}, std::vector<float>(2205, 0.0005F));

  EXPECT_TRUE(facts.silent);
  EXPECT_NEAR(facts.leading_silence.count(), 0.1, 1e-6);
  EXPECT_NEAR(facts.trailing_silence.count(), 0.1, 1e-6);
}

TEST_F(AudioFactsTest, CountsSamplesThatAreNoNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();

  const AudioFacts facts =
      inspect({.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT}, {nan, 0.25F, -inf, 0.5F});

  EXPECT_EQ(facts.non_finite, 2);
  EXPECT_EQ(facts.peak, 0.5F);
}

}  // namespace
}  // namespace qanat
