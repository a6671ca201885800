#include "training/measured_run.h"

#include <set>

#include <gmock/gmock.h>

#include "app/session_testing.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

class MeasuredRunTest : public testing::Test {
 protected:
  MeasuredRunRequest request(std::int64_t steps) const {
    MeasuredRunRequest request{
        .config = {.values = data_.config(), .origins = {}}, .steps = steps, .folder = folder()};
    request.config.values.model.size = ModelSize::nano;
    return request;
  }
  std::filesystem::path folder() const {
    return std::filesystem::path(*data_.config().data.train_data) / "measured";
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  const OneCore one_core_;
  SmallDataSet data_;
};

TEST_F(MeasuredRunTest, TakesTheStepsAskedForWhateverTheEpochsAndSavesNothing) {
  MeasuredRunRequest request = this->request(7);  // of 3 batches an epoch
  request.config.values.training.epochs = 1;
  request.config.values.training.save_every = 2;
  request.config.values.training.validate_every = 2;
  request.config.values.training.render_every = 2;

  const std::optional<MeasuredRun> run = run_measured(request);

  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->run_summary.steps.size(), 7U);
  EXPECT_TRUE(run->run_summary.ending);
  EXPECT_TRUE(run->run_summary.pipeline.has_value());
  EXPECT_EQ(files(), (std::set<std::string>{"journal.jsonl", "run.yaml"}));
}

TEST_F(MeasuredRunTest, SavesAndValidatesWhenAsked) {
  MeasuredRunRequest request = this->request(2);
  request.config.values.data.val_data = request.config.values.data.train_data;
  request.config.values.training.validate_every = 2;
  request.side_work = {.save = true, .validate = true};

  ASSERT_TRUE(run_measured(request).has_value());

  EXPECT_THAT(files(), testing::Contains("step-000000002"));
  const Result<JournalContents> journal = read_journal(folder() / "journal.jsonl");
  ASSERT_TRUE(journal.ok());
  EXPECT_THAT(journal.value().entries,
              testing::Contains(testing::Field(&JournalEntry::event,
                                               testing::VariantWith<ValidationDone>(testing::_))));
}

TEST_F(MeasuredRunTest, ValidatesWithoutKeepingTheBestWhenNothingIsToBeSaved) {
  MeasuredRunRequest request = this->request(1);
  request.config.values.data.val_data = request.config.values.data.train_data;
  request.config.values.training.validate_every = 1;
  request.side_work = {.validate = true};

  const std::optional<MeasuredRun> run = run_measured(request);

  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->summary.outcome.progress.best_step, 1);
  EXPECT_EQ(files(), (std::set<std::string>{"journal.jsonl", "run.yaml"}));
}

TEST_F(MeasuredRunTest, StartsOverWhereARunWasBefore) {
  MeasuredRunRequest saving = request(2);
  saving.side_work.save = true;
  ASSERT_TRUE(run_measured(saving).has_value());

  const std::optional<MeasuredRun> run = run_measured(request(3));

  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->run_summary.steps.size(), 3U);
  EXPECT_FALSE(run->summary.resumed_from.has_value());
}

TEST_F(MeasuredRunTest, TrainsOnEveryBatchAsOftenAsAsked) {
  MeasuredRunRequest request = this->request(8);
  request.folder.clear();  // a temporary one
  request.uses_of_batch = 3;

  const std::optional<MeasuredRun> run = run_measured(request);

  ASSERT_TRUE(run.has_value());
  std::vector<std::int64_t> batches;
  for (const StepRecord& step : run->run_summary.steps) {
    batches.push_back(step.epoch * 3 + step.batch);
  }
  EXPECT_EQ(batches, (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 2, 2}));
  EXPECT_FALSE(std::filesystem::exists(run->summary.journal));
}

TEST_F(MeasuredRunTest, ARunGoesThroughItsDataSetOnceBeforeItTrains) {
  TrainObserver nobody;
  const LoadedConfig config = measured_config(request(1));
  int passes = 0;

  run_training(
      {.config = config,
       .observer = nobody,
       .say = [](const MessageArg&) {},
       .measuring = [&](std::int64_t done, std::int64_t total) { passes += done == total; },
       .starting = [](std::int64_t, std::int64_t) {},
       .stop = {}});

  EXPECT_EQ(passes, 1);
}

TEST_F(MeasuredRunTest, WhatTheCallerHasReadIsNotReadAgain) {
  const MeasuredRunRequest plain = request(2);
  const std::optional<TrainInputs> inputs = load_train_inputs(plain.config.values, {}, {});
  MeasuredRunRequest request = plain;
  request.inputs = &*inputs;
  data_.write_manifest("metadata.csv", 0, 0);  // whoever reads it now finds nothing

  const std::optional<MeasuredRun> run = run_measured(request);

  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->summary.utterances, std::ssize(inputs->train->manifest.utterances));
}

TEST_F(MeasuredRunTest, IsNothingWhenStoppedBeforeTheFirstStep) {
  std::stop_source stop;
  stop.request_stop();
  MeasuredRunRequest request = this->request(5);
  request.stop = stop.get_token();

  EXPECT_FALSE(run_measured(request).has_value());
}

TEST_F(MeasuredRunTest, EndsWithWhatThereIsWhenStoppedLater) {
  std::stop_source stop;
  MeasuredRunRequest request = this->request(500);
  request.stop = stop.get_token();
  request.progress = [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, 500);
    if (done == 3) {
      stop.request_stop();
    }
  };

  const std::optional<MeasuredRun> run = run_measured(request);

  ASSERT_TRUE(run.has_value());
  EXPECT_GE(run->run_summary.steps.size(), 3U);
  EXPECT_LT(run->run_summary.steps.size(), 500U);
  EXPECT_EQ(run->summary.outcome.ending, TrainEnding::stopped);
}

}  // namespace
}  // namespace qanat
