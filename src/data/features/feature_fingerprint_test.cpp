#include "features/feature_fingerprint.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(FeatureFingerprintTest, IsTheSameForTheSameSettings) {
  EXPECT_EQ(feature_fingerprint({}, 7), feature_fingerprint({}, 7));
}

// Shards that were written before stay valid.
TEST(FeatureFingerprintTest, OfQanatsOwnMelStaysAsItIs) {
  EXPECT_EQ(feature_fingerprint({}, 7), 873161218638451846U);
}

TEST(FeatureFingerprintTest, ChangesWithTheText) {
  EXPECT_NE(feature_fingerprint({}, 7), feature_fingerprint({}, 8));
}

class FeatureFingerprintFieldTest : public testing::TestWithParam<MelConfig> {};

INSTANTIATE_TEST_SUITE_P(Fields,
                         FeatureFingerprintFieldTest,
                         testing::Values(MelConfig{.sample_rate = SampleRate{24000}},
                                         MelConfig{.fft_size = 2048},
                                         MelConfig{.hop = 200},
                                         MelConfig{.window = 800},
                                         MelConfig{.mel_bins = 100},
                                         MelConfig{.fmin = 20},
                                         MelConfig{.fmax = 11025},
                                         MelConfig{.log_floor = 1e-6F},
                                         MelConfig{.scale = MelScale::htk},
                                         MelConfig{.norm = MelNorm::none},
                                         MelConfig{.spectrum = MelSpectrum::power},
                                         MelConfig{.window_kind = MelWindow::symmetric},
                                         MelConfig{.frames = MelFrames::points},
                                         MelConfig{.padding = MelPadding::zero},
                                         MelConfig{.floor = MelFloor::add},
                                         MelConfig{.magnitude_floor = 0},
                                         MelConfig{.mean = 1},
                                         MelConfig{.deviation = 2},
                                         MelConfig{.band_rate = SampleRate{16000}}));

TEST_P(FeatureFingerprintFieldTest, ChangesWithEveryFieldOfTheMel) {
  EXPECT_NE(feature_fingerprint(GetParam(), 7), feature_fingerprint({}, 7));
}

}  // namespace
}  // namespace qanat
