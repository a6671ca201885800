#include "features/feature_fingerprint.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(FeatureFingerprintTest, IsTheSameForTheSameSettings) {
  EXPECT_EQ(feature_fingerprint({}, 7), feature_fingerprint({}, 7));
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
                                         MelConfig{.log_floor = 1e-6F}));

TEST_P(FeatureFingerprintFieldTest, ChangesWithEveryFieldOfTheMel) {
  EXPECT_NE(feature_fingerprint(GetParam(), 7), feature_fingerprint({}, 7));
}

}  // namespace
}  // namespace qanat
