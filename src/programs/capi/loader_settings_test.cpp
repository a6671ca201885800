#include "capi/loader_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "features/mel_presets.h"

namespace qanat {
namespace {

using testing::HasSubstr;

std::string problem_of(const char* settings) {
  try {
    parse_settings(settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LoaderSettingsTest, NothingGivenIsTheDefault) {
  const LoaderSettings settings = parse_settings("{}");

  EXPECT_EQ(settings.config, RunConfig{});
  EXPECT_EQ(settings.mel, MelConfig{});
  EXPECT_EQ(settings.payload(), PayloadKind::mel_f32);
  EXPECT_EQ(settings.world, 1);
}

TEST(LoaderSettingsTest, EveryKeyIsTaken) {
  const LoaderSettings settings = parse_settings(
      R"({"config": {"data": {"train_data": "a \"b\"", "batch_size": 5}}, "part": "validation",
          "payload": "audio", "rank": 1, "world": 3, "consumer_threads": 2,
          "mel": {"preset": "f5", "hop": 200, "band_rate": 24000, "mean": -1.5, "norm": "slaney"}})");

  EXPECT_EQ(settings.config.data.train_data, "a \"b\"");
  EXPECT_EQ(settings.config.data.batch_size, 5);
  EXPECT_EQ(settings.part, SetPart::validation);
  EXPECT_EQ(settings.payload(), PayloadKind::pcm_s16);
  EXPECT_EQ(settings.rank, 1);
  EXPECT_EQ(settings.world, 3);
  EXPECT_EQ(settings.consumer_threads, 2);
  MelConfig mel = *find_mel_preset("f5");
  mel.hop = 200;
  mel.band_rate = SampleRate{24000};
  mel.mean = -1.5F;
  mel.norm = MelNorm::slaney;
  EXPECT_EQ(settings.mel, mel);
}

TEST(LoaderSettingsTest, AMelThatWasWrittenIsReadBack) {
  for (const MelPreset& preset : mel_presets()) {
    const nlohmann::json settings = {{"mel", to_json(preset.config)}};

    EXPECT_EQ(parse_settings(settings.dump()).mel, preset.config) << preset.name;
  }
}

TEST(LoaderSettingsTest, EveryProblemIsNamed) {
  const std::string what = problem_of(
      R"({"config": {"data": {"batch_size": 0, "bach": 1}}, "part": "most", "payload": 3, "rank": 3,
          "world": 2.5, "mel": {"hop": 2000, "scale": "bark", "hopp": 1, "mean": "x"}, "batch": 1})");

  EXPECT_THAT(what, HasSubstr("data.batch_size: "));
  EXPECT_THAT(what, HasSubstr("data.bach: "));
  EXPECT_THAT(what, HasSubstr("part: \"most\"; expected all or train or validation"));
  EXPECT_THAT(what, HasSubstr("payload: 3; expected mel or audio"));
  EXPECT_THAT(what, HasSubstr("rank: 3 of 1"));
  EXPECT_THAT(what, HasSubstr("world: 2.5; expected a whole number"));
  EXPECT_THAT(what, HasSubstr("mel.hop: 2000; expected 1 to fft_size"));
  EXPECT_THAT(what, HasSubstr("mel.scale: \"bark\"; expected slaney or htk"));
  EXPECT_THAT(what, HasSubstr("mel.hopp: there is no such setting"));
  EXPECT_THAT(what, HasSubstr("mel.mean: \"x\"; expected a number"));
  EXPECT_THAT(what, HasSubstr("batch: there is no such setting"));
}

class BadSettingsTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Bad,
                         BadSettingsTest,
                         testing::Values("",
                                         "{",
                                         "[]",
                                         "3",
                                         R"({"config": 3})",
                                         R"({"config": {"data": 3}})",
                                         R"({"mel": "melodic"})",
                                         R"({"mel": 3})",
                                         R"({"mel": {"preset": 3}})",
                                         R"({"mel": {"mean": 1e300}})",
                                         R"({"world": 99999999999})",
                                         R"({"rank": -1})"));

TEST_P(BadSettingsTest, IsRefusedWithAReason) {
  EXPECT_NE(problem_of(GetParam()), "");
}

TEST(LoaderSettingsTest, AnUnknownPresetListsThoseThereAre) {
  EXPECT_THAT(problem_of(R"({"mel": "melodic"})"), HasSubstr("hifigan, coqui"));
}

}  // namespace
}  // namespace qanat
