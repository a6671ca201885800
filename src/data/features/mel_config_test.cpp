#include "features/mel_config.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "features/mel_presets.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(MelConfigTest, FramesAreWholeHops) {
  EXPECT_EQ(mel_frames(SampleCount{0}, {}), FrameCount{0});
  EXPECT_EQ(mel_frames(SampleCount{255}, {}), FrameCount{0});
  EXPECT_EQ(mel_frames(SampleCount{256}, {}), FrameCount{1});
  EXPECT_EQ(mel_frames(SampleCount{41885}, {}), FrameCount{163});
}

TEST(MelConfigTest, FramesAtPointsAreOneMoreUnlessThereIsNothing) {
  const MelConfig config{.frames = MelFrames::points};

  EXPECT_EQ(mel_frames(SampleCount{0}, config), FrameCount{0});
  EXPECT_EQ(mel_frames(SampleCount{255}, config), FrameCount{1});
  EXPECT_EQ(mel_frames(SampleCount{256}, config), FrameCount{2});
}

TEST(MelConfigTest, SilenceIsTheFloorNormalised) {
  EXPECT_FLOAT_EQ(silent_mel({}), -11.512925F);
  EXPECT_FLOAT_EQ(silent_mel({.mean = -4, .deviation = 4}), -1.8782314F);
}

TEST(MelConfigTest, TheDefaultKindHasAnySizeAndNothingElse) {
  EXPECT_NO_THROW(checked_default_mel({.hop = 300, .mel_bins = 100}));
  EXPECT_THROW(checked_default_mel({.hop = 0}), Error);
  EXPECT_THROW(checked_default_mel(*find_mel_preset("matcha")), Error);
}

TEST(MelConfigTest, EveryPresetIsUsable) {
  for (const MelPreset& preset : mel_presets()) {
    EXPECT_THAT(problems(preset.config), IsEmpty()) << preset.name;
  }
  EXPECT_FALSE(find_mel_preset("none of them"));
}

TEST(MelConfigTest, TheDefaultIsUsable) {
  EXPECT_THAT(problems(MelConfig{}), IsEmpty());
}

TEST(MelConfigTest, EveryProblemIsNamed) {
  const MelConfig config{.sample_rate = SampleRate{0},
                         .fft_size = 1000,
                         .hop = 0,
                         .window = 1001,
                         .mel_bins = 0,
                         .fmin = -1,
                         .fmax = 100,
                         .log_floor = 0};

  EXPECT_THAT(problems(config),
              ElementsAre(StartsWith("sample_rate: 0; expected"),
                          "fft_size: 1000; expected a power of two from 64 to 65536",
                          "hop: 0; expected 1 to fft_size (1000) samples",
                          "window: 1001; expected 1 to fft_size (1000) samples",
                          StartsWith("mel_bins: 0; expected"),
                          StartsWith("fmin: -1; expected"),
                          StartsWith("fmax: 100; expected"),
                          StartsWith("log_floor: 0; expected")));
}

struct BadConfig {
  const char* key;
  MelConfig config;
};
class MelConfigProblemTest : public testing::TestWithParam<BadConfig> {};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
INSTANTIATE_TEST_SUITE_P(Bad,
                         MelConfigProblemTest,
                         testing::Values(BadConfig{"fft_size",
                                                   {.fft_size = 0, .hop = 0, .window = 0}},
                                         BadConfig{"fft_size", {.fft_size = 131072}},
                                         BadConfig{"hop", {.hop = 1025}},
                                         BadConfig{"window", {.window = 0}},
                                         BadConfig{"mel_bins", {.mel_bins = 5000}},
                                         BadConfig{"fmin", {.fmin = 8000}},
                                         BadConfig{"fmin", {.fmin = kNan}},
                                         BadConfig{"fmax", {.fmax = 11026}},
                                         BadConfig{"log_floor", {.log_floor = kNan}},
                                         BadConfig{"magnitude_floor", {.magnitude_floor = -1}},
                                         BadConfig{"mean", {.mean = kNan}},
                                         BadConfig{"deviation", {.deviation = 0}},
                                         BadConfig{"fmax", {.band_rate = SampleRate{15000}}}));

TEST_P(MelConfigProblemTest, IsNamedByItsKey) {
  ASSERT_FALSE(problems(GetParam().config).empty());
  EXPECT_THAT(problems(GetParam().config).front(), StartsWith(GetParam().key));
}

}  // namespace
}  // namespace qanat
