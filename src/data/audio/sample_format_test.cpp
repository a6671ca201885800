#include "audio/sample_format.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;

TEST(SampleFormatTest, SixteenBitsSurviveTheWayToFloatAndBack) {
  std::vector<std::int16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<std::int16_t>(static_cast<int>(i) - 32768);
  }
  std::vector<float> floats(all.size());
  std::vector<std::int16_t> back(all.size());

  to_float(all, floats);
  to_pcm16(floats, back);

  EXPECT_EQ(back, all);
}

TEST(SampleFormatTest, RoundsAndBoundsToSixteenBits) {
  const std::array samples = {
      2.0F, -2.0F, 1.4F / 32768, 1.6F / 32768, std::numeric_limits<float>::quiet_NaN()};
  std::array<std::int16_t, 5> pcm = {};

  to_pcm16(samples, pcm);

  EXPECT_THAT(pcm, ElementsAre(32767, -32768, 1, 2, 0));
}

TEST(SampleFormatTest, ReadsTwentyFourBitsWithTheirSign) {
  const std::array bytes = {std::byte{0xFF},
                            std::byte{0xFF},
                            std::byte{0x7F},
                            std::byte{0x00},
                            std::byte{0x00},
                            std::byte{0x80},
                            std::byte{0xFF},
                            std::byte{0xFF},
                            std::byte{0xFF}};
  std::array<float, 3> samples = {};

  to_float(SampleFormat::pcm_s24, bytes, samples);

  EXPECT_THAT(samples, ElementsAre(8388607.0F / 8388608.0F, -1.0F, -1.0F / 8388608.0F));
}

TEST(SampleFormatTest, MixesToTheMean) {
  const std::array<float, 6> interleaved = {1.0F, 0.0F, 0.5F, -1.0F, -1.0F, -1.0F};
  std::array<float, 2> mono = {};

  mix_down(interleaved, 3, mono);

  EXPECT_FLOAT_EQ(mono[0], 0.5F);
  EXPECT_FLOAT_EQ(mono[1], -1.0F);
}

TEST(SampleFormatTest, PeakTellsOfSamplesThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();

  EXPECT_EQ(peak_magnitude(std::array{0.5F, -0.75F}), 0.75F);
  EXPECT_EQ(peak_magnitude({}), 0.0F);
  EXPECT_TRUE(std::isnan(peak_magnitude(std::array{0.5F, -nan, inf})));
  EXPECT_TRUE(std::isinf(peak_magnitude(std::array{-inf, 1.0F})));
}

}  // namespace
}  // namespace qanat
