#include "app/loader_options.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "dataset/dataset_check.h"

namespace qanat {
namespace {

HostFacts eight_cores() {
  HostFacts host;
  host.online_cores = 8;
  host.affinity_cores = 8;
  host.total_memory = mebibytes(16'384);
  host.available_memory = mebibytes(4'096);
  return host;
}

TEST(LoaderOptionsTest, LeavesTheConsumerItsCores) {
  EXPECT_EQ(make_loader_options({}, eight_cores(), 2).max_workers, 6);
  EXPECT_EQ(make_loader_options({}, eight_cores(), 20).max_workers, 1);
}

TEST(LoaderOptionsTest, TunesWhatIsNotConfigured) {
  const LoaderOptions options = make_loader_options({}, eight_cores(), 0);

  EXPECT_FALSE(options.workers);
  EXPECT_FALSE(options.window);
  EXPECT_EQ(options.max_window, 50);
}

TEST(LoaderOptionsTest, KeepsWhatIsConfigured) {
  RunConfig config;
  config.data.num_workers = 3;
  config.data.pipeline_buffer_size = 7;
  config.pipeline.memory_budget = Megabytes{100};
  config.pipeline.max_bad_fraction = 0.2;
  config.training.seed = 99;
  config.training.epochs = 12;

  const LoaderOptions options = make_loader_options(config, eight_cores(), 0);

  EXPECT_EQ(options.workers, 3);
  EXPECT_EQ(options.window, 7);
  EXPECT_EQ(options.budget, mebibytes(100));
  EXPECT_EQ(options.max_bad_fraction, 0.2);
  EXPECT_EQ(options.seed, 99U);
  EXPECT_EQ(options.epochs, 12);
}

// `qanat data check` judges as a run does, and a program that uses the library as both.
TEST(LoaderOptionsTest, DamageIsToleratedToOneShareByDefault) {
  const double share = RunConfig{}.pipeline.max_bad_fraction;

  EXPECT_EQ(LoaderOptions{}.max_bad_fraction, share);
  EXPECT_EQ(CheckOptions{}.max_bad_fraction, share);
}

TEST(LoaderOptionsTest, WithoutTuningEverythingIsFixed) {
  RunConfig config;
  config.data.optimize_cpu_gpu_overlap = false;

  const LoaderOptions options = make_loader_options(config, eight_cores(), 2);

  EXPECT_EQ(options.workers, 6);
  EXPECT_EQ(options.window, 50);
}

TEST(LoaderOptionsTest, BatchingFollowsTheConfiguration) {
  RunConfig config;
  config.data.batch_size = 24;
  config.data.max_mel_frames = 800;
  config.data.max_text_length = 150;
  config.data.enable_static_shapes = false;
  config.pipeline.bucket_edges = 5;
  config.pipeline.frame_budget = 9'000;
  config.pipeline.shuffle = false;

  EXPECT_EQ(make_loader_options(config, eight_cores(), 0).batching,
            (BatchingConfig{.batch_size = 24,
                            .max_edges = 5,
                            .max_frames = 800,
                            .max_tokens = 150,
                            .frame_budget = 9'000,
                            .shapes = ShapePolicy::per_batch,
                            .order = ItemOrder::by_length}));
}

TEST(LoaderOptionsTest, TakesAShareOfTheFreeMemory) {
  EXPECT_EQ(make_loader_options({}, eight_cores(), 0).budget, mebibytes(512));
  EXPECT_EQ(feature_cache_budget({}, eight_cores()), mebibytes(1024));
}

TEST(LoaderOptionsTest, KeepsNoFeaturesForASingleEpoch) {
  RunConfig config;
  config.training.epochs = 1;
  config.pipeline.feature_cache = Megabytes{100};

  EXPECT_EQ(feature_cache_budget(config, eight_cores()), Bytes{0});
}

TEST(LoaderOptionsTest, TheTrainingSetIsTheConfiguredOne) {
  RunConfig config;
  config.data.train_data = "train";
  config.data.val_data = "val";
  config.data.max_mel_frames = 500;
  config.data.cache_dir = "cache";
  config.training.seed = 5;
  config.data.split_seed = 7;

  const TrainingSetOptions options = make_training_set_options(config, eight_cores());

  EXPECT_EQ(options.train_data, "train");
  EXPECT_EQ(options.val_data, "val");
  EXPECT_EQ(options.limits.max_frames, FrameCount{500});
  EXPECT_EQ(options.split.seed, 7U);  // whatever training.seed is
  EXPECT_EQ(options.index.threads, 8);
  EXPECT_EQ(options.index.cache_folders.size(), 1U);
  EXPECT_THROW(make_training_set_options({}, eight_cores()), Error);
}

}  // namespace
}  // namespace qanat
