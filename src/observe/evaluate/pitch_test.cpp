#include "evaluate/pitch.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "evaluate/evaluate_testing.h"

namespace qanat {
namespace {

constexpr SampleRate kPitchRate{22050};

std::vector<double> in_doubles(const std::vector<float>& samples) {
  return {samples.begin(), samples.end()};
}

// pyworld 0.3.5: dio() and stonemask() with their defaults. Both sides are double precision; 1e-6
// Hz is far above rounding and far below any other choice of the many constants.
struct PitchOracle {
  std::size_t frame;
  double coarse;
  double fine;
};
constexpr PitchOracle kPitchOracle[] = {{30, 0.0, 0.0},
                                        {60, 219.7900058004339, 219.91091335785057},
                                        {100, 203.952311225473, 203.9336829833362},
                                        {150, 157.21771523823213, 157.18604354984353},
                                        {200, 141.6567229413583, 141.6396280528755},
                                        {239, 165.26488373955306, 167.65842921301106}};

class PitchOracleTest : public testing::TestWithParam<PitchOracle> {};

TEST_P(PitchOracleTest, AgreesWithPyworld) {
  const std::vector<double> samples = in_doubles(first_test_voice());

  const std::vector<double> coarse = coarse_pitch(samples, kPitchRate);
  const std::vector<double> fine = refined_pitch(samples, kPitchRate, coarse);

  ASSERT_EQ(coarse.size(), 280U);
  EXPECT_NEAR(coarse[GetParam().frame], GetParam().coarse, 1e-6);
  EXPECT_NEAR(fine[GetParam().frame], GetParam().fine, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Frames, PitchOracleTest, testing::ValuesIn(kPitchOracle));

TEST(PitchTest, VoicedFramesAreThoseOfPyworld) {
  const std::vector<double> pitch = estimate_pitch(in_doubles(first_test_voice()), kPitchRate);

  const auto is_voiced = [](double hertz) { return hertz > 0; };

  EXPECT_EQ(std::ranges::count_if(pitch, is_voiced), 199);
  EXPECT_EQ(std::ranges::find_if(pitch, is_voiced) - pitch.begin(), 41);
}

TEST(PitchTest, ASteadyToneHasItsFrequency) {
  std::vector<double> samples(22050);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = 0.3 * std::sin(2 * std::numbers::pi * 233.0 * static_cast<double>(i) / 22050);
  }

  const std::vector<double> pitch = estimate_pitch(samples, kPitchRate);

  EXPECT_NEAR(pitch[100], 233.0, 0.2);
}

class UnvoicedPitchTest : public testing::TestWithParam<std::size_t> {};

TEST_P(UnvoicedPitchTest, SilenceOfAnyLengthIsUnvoiced) {
  const std::vector<double> pitch =
      estimate_pitch(std::vector<double>(GetParam(), 0.0), kPitchRate);

  EXPECT_EQ(pitch.size(), pitch_frames(GetParam(), kPitchRate));
  EXPECT_EQ(std::ranges::count(pitch, 0.0), std::ssize(pitch));
}

INSTANTIATE_TEST_SUITE_P(Lengths, UnvoicedPitchTest, testing::Values(0, 1, 2, 500, 3000, 30000));

TEST(PitchTrackTest, AStretchIsContinuedAsFarAsAFilterProposesItsPitch) {
  // The best filter loses the voice at frame 20; the other still hears it until frame 30.
  PitchProposals best{.pitch = std::vector<double>(60, 0.0),
                      .spread = std::vector<double>(60, 9.0)};
  PitchProposals other{.pitch = std::vector<double>(60, 0.0),
                       .spread = std::vector<double>(60, 8.0)};
  for (std::size_t f = 8; f < 30; ++f) {
    best.pitch[f] = f < 20 ? 100.0 : 0.0;
    best.spread[f] = 0.1;
    other.pitch[f] = 102.0;
  }
  const std::vector<PitchProposals> filters = {best, other};

  const std::vector<double> pitch = track_pitch(filters, {});

  EXPECT_EQ(pitch[15], 100.0);
  EXPECT_EQ(pitch[25], 102.0);
  EXPECT_EQ(pitch[31], 0.0);
}

}  // namespace
}  // namespace qanat
