#include "diagnose/data_profile.h"

#include <random>

#include <gtest/gtest.h>

namespace qanat {
namespace {

DataMeasurement measurement(double seconds, double wait, std::size_t count = 120) {
  DataMeasurement measured{
      .seconds_per_frame = 0.01, .batches_per_epoch = 1000, .allowed_cores = 8};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> noise(0, 1e-4);
  for (std::size_t i = 0; i < count; ++i) {
    measured.deliveries.push_back({.seconds = seconds + noise(random),
                                   .wait = wait,
                                   .frames = 3000,
                                   .padded_frames = 4000,
                                   .rows = 10});
  }
  PipelineStats& stats = measured.pipeline;
  stats.active_workers = 1;
  stats.workers = {{.rows = 1200, .busy = Seconds{9}, .blocked = Seconds{1}}};
  stats.batches = 120;
  stats.rows = 1200;
  stats.decode = {.name = "decode", .done = 1200, .busy = Seconds{2.4}};
  stats.mel = {.name = "mel", .done = 1200, .busy = Seconds{7.2}};
  stats.ready.occupancy = {.empty = Seconds{3}, .partial = Seconds{6}, .full = Seconds{1}};
  return measured;
}

TEST(DataProfileTest, SpeechPerSecondCountsNoPadding) {
  const DataProfile profile = profile_data(measurement(0.1, 0.1));

  EXPECT_NEAR(profile.speech_per_second, 300, 0.2);
  EXPECT_NEAR(profile.batches_per_second, 10, 0.01);
  EXPECT_NEAR(profile.padding_share, 0.25, 1e-9);
  EXPECT_FALSE(profile.wait_share.has_value());
  EXPECT_FALSE(profile.diagnosis.has_value());
}

TEST(DataProfileTest, SaysWhereQueueAndWorkersWere) {
  const DataProfile profile = profile_data(measurement(0.1, 0.1));

  EXPECT_NEAR(profile.queue.empty, 0.3, 1e-9);
  EXPECT_NEAR(profile.queue.full, 0.1, 1e-9);
  EXPECT_NEAR(profile.workers.busy, 0.9, 1e-9);
  ASSERT_EQ(profile.stages.size(), 2U);
  EXPECT_NEAR(profile.stages[1].share, 0.75, 1e-9);
  EXPECT_NEAR(profile.stages[1].seconds_per_row, 0.006, 1e-9);
}

TEST(DataProfileTest, APacedConsumerThatStarvesIsToldWhatToDo) {
  DataMeasurement measured = measurement(0.1, 0.04);
  measured.step = 0.06;

  const DataProfile profile = profile_data(measured);

  EXPECT_NEAR(profile.wait_share.value(), 0.4, 0.01);
  EXPECT_DOUBLE_EQ(profile.ready_share.value(), 0);
  ASSERT_TRUE(profile.diagnosis.has_value());
  EXPECT_EQ(profile.diagnosis->verdict, VerdictKind::input_bound);
  ASSERT_FALSE(profile.recommended.empty());
  EXPECT_EQ(profile.recommended.front().fix.key, "data.num_workers");
}

TEST(DataProfileTest, APacedConsumerThatIsFedIsLeftAlone) {
  DataMeasurement measured = measurement(0.1, 0.0001);
  measured.step = 0.1;

  const DataProfile profile = profile_data(measured);

  EXPECT_DOUBLE_EQ(profile.ready_share.value(), 1);
  EXPECT_TRUE(profile.recommended.empty());
}

TEST(DataProfileTest, NamesWhatRepeats) {
  DataMeasurement measured = measurement(0.02, 0.02, 240);
  measured.batches_per_epoch = 12;
  for (std::size_t i = 0; i < measured.deliveries.size(); i += 12) {
    measured.deliveries[i].seconds += 0.03;
  }

  const DataProfile profile = profile_data(measured);

  ASSERT_TRUE(profile.periodicity.pattern.has_value());
  EXPECT_EQ(profile.periodicity.pattern->period, 12U);
  ASSERT_TRUE(profile.cause.has_value());
  EXPECT_EQ(profile.cause->name, "batches of an epoch");
}

}  // namespace
}  // namespace qanat
