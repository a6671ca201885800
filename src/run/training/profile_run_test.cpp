#include "training/profile_run.h"

#include <gmock/gmock.h>

#include "app/session_testing.h"
#include "locale/translator.h"

namespace qanat {
namespace {

class ProfileRunTest : public testing::Test {
 protected:
  LoadedConfig config() const {
    LoadedConfig config{.values = data_.config(), .origins = {}};
    config.values.model.size = ModelSize::nano;
    return config;
  }
  std::filesystem::path folder() const {
    return std::filesystem::path(*data_.config().data.train_data) / "profile";
  }

  const OneCore one_core_;
  SmallDataSet data_;
};

TEST_F(ProfileRunTest, AStepIsProfiledWithAProbeWhoseDataIsFree) {
  std::int64_t last = 0;
  const std::optional<StepProfile> profile =
      run_step_profile({.config = config(),
                        .steps = 24,
                        .folder = folder(),
                        .progress = [&](std::int64_t done, std::int64_t total) {
                          last = done;
                          EXPECT_EQ(total, 48);
                        }});

  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(last, 48);
  EXPECT_EQ(profile->diagnosis.measures.steps, 24U);
  ASSERT_EQ(profile->phases.size(), 8U);  // nothing holds a step up, and nothing is exchanged
  EXPECT_GT(profile->phases.back().seconds.mean, 0);
  EXPECT_TRUE(std::filesystem::exists(folder() / "run" / "journal.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "cached" / "journal.jsonl"));
}

TEST_F(ProfileRunTest, TwoDevicesAreRunInTurnsWithOne) {
  std::vector<std::string> said;
  const std::optional<DualProfile> profile = run_dual_profile(
      {.config = config(),
       .steps = 4,
       .rounds = 2,
       .folder = folder(),
       .say = [&](const MessageArg& line) { said.push_back(Translator().said(line)); }});

  ASSERT_TRUE(profile.has_value());
  EXPECT_THAT(said, testing::Contains(testing::HasSubstr("emulated")));
  EXPECT_TRUE(profile->emulated);
  EXPECT_TRUE(profile->dual.stages.prepare.has_value());
  EXPECT_FALSE(profile->single.stages.prepare.has_value());
  EXPECT_TRUE(profile->dual.data_busy.has_value());
  EXPECT_TRUE(std::filesystem::exists(folder() / "dual-2" / "journal.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "single-2" / "journal.jsonl"));
}

TEST_F(ProfileRunTest, DevicesThatWereNamedAreKept) {
  LoadedConfig config = this->config();
  config.values.data.data_gpu = 1;
  config.values.data.model_gpu = 0;
  config.values.pipeline.virtual_gpus = 3;

  const LoadedConfig two = with_two_devices(config, nullptr);

  EXPECT_EQ(two.values.data.data_gpu, 1);
  EXPECT_EQ(two.values.pipeline.virtual_gpus, 3);
}

TEST_F(ProfileRunTest, AProfileThatIsStoppedAtOnceIsNothing) {
  std::stop_source stop;
  stop.request_stop();

  EXPECT_FALSE(
      run_step_profile({.config = config(), .steps = 4, .stop = stop.get_token()}).has_value());
  EXPECT_FALSE(
      run_dual_profile({.config = config(), .steps = 4, .stop = stop.get_token()}).has_value());
}

}  // namespace
}  // namespace qanat
