#include "experiment/data_profile_run.h"

#include <gmock/gmock.h>

#include "app/session_testing.h"

namespace qanat {
namespace {

class DataProfileRunTest : public testing::Test {
 protected:
  ProfiledSet data() { return *load_profiled_set(set_.config(), nullptr, {}); }

  SmallDataSet set_;
};

TEST_F(DataProfileRunTest, MeasuresAsManyBatchesAsAskedForWhateverTheEpochs) {
  RunConfig config = set_.config();
  config.training.epochs = 1;

  const std::optional<DataMeasurement> measured =
      measure_loader({.config = config, .data = data(), .batches = 20});

  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->deliveries.size(), 19U);  // the first one has no batch before it
  EXPECT_GT(measured->first_batch, 0);
  EXPECT_EQ(measured->pipeline.batches, 20);
  EXPECT_EQ(measured->batches_per_epoch, 3);
  EXPECT_GT(measured->deliveries.front().frames, 0);
  EXPECT_LE(measured->deliveries.front().frames, measured->deliveries.front().padded_frames);
}

TEST_F(DataProfileRunTest, APacedConsumerKeepsItsPaceAndSaysWhatItWaited) {
  const std::optional<DataMeasurement> measured = measure_loader(
      {.config = set_.config(), .data = data(), .batches = 8, .step = Seconds{0.02}});

  ASSERT_TRUE(measured.has_value());
  EXPECT_DOUBLE_EQ(measured->step.value(), 0.02);
  for (const Delivery& delivery : measured->deliveries) {
    EXPECT_GE(delivery.seconds, 0.02);
    EXPECT_GE(delivery.seconds, delivery.wait);
  }
}

TEST_F(DataProfileRunTest, EveryPassIsMadeFromAudioUnlessACacheIsAskedFor) {
  RunConfig config = set_.config();
  config.pipeline.feature_cache.reset();
  const std::optional<DataMeasurement> fresh =
      measure_loader({.config = config, .data = data(), .batches = 12});
  config.pipeline.feature_cache = Megabytes{64};
  const std::optional<DataMeasurement> cached =
      measure_loader({.config = config, .data = data(), .batches = 12});

  EXPECT_EQ(fresh.value().pipeline.from_cache, 0);
  EXPECT_GT(cached.value().pipeline.from_cache, 0);
}

TEST_F(DataProfileRunTest, WithADataGpuWorkersMakeNoMel) {
  RunConfig config = set_.config();
  config.data.data_gpu = 0;
  config.data.model_gpu = 1;

  const std::optional<DataMeasurement> measured =
      measure_loader({.config = config, .data = data(), .batches = 4});

  EXPECT_EQ(measured.value().pipeline.mel.busy, Seconds{0});
  EXPECT_GT(measured.value().deliveries.front().frames, 0);
}

TEST_F(DataProfileRunTest, WhatWasDeliveredBeforeAStopIsKept) {
  std::stop_source stop;

  const std::optional<DataMeasurement> measured =
      measure_loader({.config = set_.config(),
                      .data = data(),
                      .batches = 1'000'000,
                      .progress =
                          [&](std::int64_t done, std::int64_t) {
                            if (done == 5) {
                              stop.request_stop();
                            }
                          },
                      .stop = stop.get_token()});

  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->deliveries.size(), 4U);
}

TEST_F(DataProfileRunTest, ASweepVisitsEveryCellAndNamesOne) {
  const SweepReport sweep = sweep_loader({.config = set_.config(),
                                          .data = data(),
                                          .batches = {2, 4},
                                          .workers = {1, 2},
                                          .budget = Seconds{1.0},
                                          .visit = Seconds{0.01}});

  ASSERT_EQ(sweep.cells.size(), 4U);
  for (const SweepCell& cell : sweep.cells) {
    EXPECT_FALSE(cell.rates.empty()) << cell.batch << " x " << cell.workers;
  }
  EXPECT_EQ(sweep.cells[sweep.control].batch, 4);
  ASSERT_TRUE(sweep.choice.has_value());
  EXPECT_EQ(sweep.cells[sweep.choice->cell].batch, 4);  // the one in use
  EXPECT_GT(sweep.cells[0].memory, 0);
}

TEST_F(DataProfileRunTest, ASweepThatIsStoppedReportsWhatThereIs) {
  std::stop_source stop;

  const SweepReport sweep =
      sweep_loader({.config = set_.config(),
                    .data = data(),
                    .batches = {4},
                    .workers = {1, 2},
                    .budget = Seconds{600},
                    .visit = Seconds{0.01},
                    .progress = [&](std::int64_t, std::int64_t) { stop.request_stop(); },
                    .stop = stop.get_token()});

  EXPECT_FALSE(sweep.complete);
  EXPECT_EQ(sweep.cells[0].rates.size() + sweep.cells[1].rates.size(), 1U);
}

TEST(DataProfileRunDefaultsTest, TheGridSurroundsWhatIsConfigured) {
  RunConfig config;
  config.data.batch_size = 1;

  EXPECT_EQ(default_sweep_batches(config), (std::vector<int>{1, 2}));
  EXPECT_EQ(default_sweep_workers({.online_cores = 6}), (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(default_sweep_workers({.online_cores = 1}), (std::vector<int>{1}));
}

}  // namespace
}  // namespace qanat
