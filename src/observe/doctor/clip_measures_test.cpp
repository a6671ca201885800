#include "doctor/clip_measures.h"

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include "doctor/doctor_testing.h"

namespace qanat {
namespace {

constexpr SampleRate kRate{22050};

ClipMeasures measured(const std::vector<float>& samples) {
  return ClipMeter().measure(samples, kRate);
}

int different_bits(const ClipMeasures& a, const ClipMeasures& b) {
  int bits = 0;
  for (std::size_t i = 0; i < kFingerprintWords; ++i) {
    bits += std::popcount(a.fingerprint.at(i) ^ b.fingerprint.at(i));
  }
  return bits;
}

TEST(ClipMeasuresTest, FindsTheSilenceAtBothEnds) {
  const ClipMeasures clip = measured(fake_speech({.silence = 0.7}));

  EXPECT_NEAR(clip.leading.count(), 0.7, 0.03);
  EXPECT_NEAR(clip.trailing.count(), 0.75, 0.08) << "the last syllable fades";
  EXPECT_FALSE(clip.is_silent);
}

TEST(ClipMeasuresTest, SilenceHoldsNoSound) {
  EXPECT_TRUE(measured(std::vector<float>(22050, 0.0F)).is_silent);
  EXPECT_TRUE(measured({}).is_silent);
}

TEST(ClipMeasuresTest, PitchIsThatOfTheVoice) {
  const ClipMeasures low = measured(fake_speech({.pitch = 110}));
  const ClipMeasures high = measured(fake_speech({.pitch = 220}));

  ASSERT_TRUE(low.pitch && high.pitch);
  EXPECT_NEAR(*low.pitch, 110, 12);  // syllables vary by a tenth
  EXPECT_NEAR(*high.pitch, 220, 24);
}

TEST(ClipMeasuresTest, ClippingIsFoundAtAnyLevel) {
  std::vector<float> samples = fake_speech({});
  EXPECT_EQ(measured(samples).flat_share, 0);
  const float peak = *std::ranges::max_element(samples);
  for (float& sample : samples) {
    sample = std::clamp(sample, -0.3F * peak, 0.3F * peak) * 0.5F;
  }

  EXPECT_GT(measured(samples).flat_share, 0.005);
}

TEST(ClipMeasuresTest, AClipThatIsCutInTheVoiceBeginsLoud) {
  const std::vector<float> samples = fake_speech({});
  const std::vector<float> cut(samples.begin() + static_cast<int>(0.3 * 22050), samples.end());

  EXPECT_LT(measured(samples).first_db, -30);
  EXPECT_GT(measured(cut).first_db, -12);
}

TEST(ClipMeasuresTest, NoiseTakesTheContrast) {
  const double clean = measured(fake_speech({})).contrast_db;
  const double noisy = measured(fake_speech({.noise = 0.05})).contrast_db;

  EXPECT_GT(clean, noisy + 10);
}

TEST(ClipMeasuresTest, HumIsFoundAndNamed) {
  std::vector<float> samples = fake_speech({.seconds = 3});
  EXPECT_LT(measured(samples).hum_db, 15);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / 22050;
    samples[i] += static_cast<float>(0.08 * std::sin(60 * turn) + 0.08 * std::sin(120 * turn));
  }

  const ClipMeasures clip = measured(samples);

  EXPECT_GT(clip.hum_db, 20);
  EXPECT_EQ(clip.hum_hz, 60);
}

TEST(ClipMeasuresTest, TheFingerprintSurvivesLevel) {
  const std::vector<float> samples = fake_speech({.seed = 3, .silence = 0.4});
  std::vector<float> softer = samples;
  for (float& sample : softer) {
    sample *= 0.4F;
  }

  EXPECT_LT(different_bits(measured(samples), measured(softer)), 60);
  EXPECT_GT(different_bits(measured(samples), measured(fake_speech({.seed = 4, .silence = 0.4}))),
            100);
}

}  // namespace
}  // namespace qanat
