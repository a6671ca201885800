#include "training/train_session.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "metrics/journal_testing.h"
#include "metrics/run_snapshot.h"
#include "train/validation.h"
#include "training/train_session_testing.h"

namespace qanat {
namespace {

TEST_F(TrainSessionTest, TrainsAndSavesOnTheCpuWithNothingButData) {
  TrainListener listener;
  LoadedConfig config = this->config("run", 3);

  const TrainSummary summary = train(config, listener);

  EXPECT_EQ(summary.outcome.ending, TrainEnding::max_steps);
  EXPECT_THAT(listener.losses, testing::SizeIs(3));
  EXPECT_LT(listener.losses.at(2), listener.losses.at(0));
  EXPECT_EQ(CheckpointFolder(folder("run"), 3).steps(), (std::vector<std::int64_t>{3}));
  EXPECT_TRUE(std::filesystem::exists(folder("run") / "run.yaml"));
}

TEST_F(TrainSessionTest, TellsFurtherSinksWhatItJournals) {
  TrainListener listener;
  LiveSnapshot live;
  EventList list;
  listener.sinks = {&live, &list};
  LoadedConfig config = this->config("told", 4);
  config.values.training.save_every = 2;

  train(config, listener);

  const RunSnapshot now = live.read();
  EXPECT_EQ(now.sessions, 1);
  EXPECT_EQ(now.steps, 4);
  EXPECT_EQ(now.last_step, 4);
  EXPECT_EQ(now.ending, "max_steps");
  EXPECT_EQ(now.ring->batches, 4);
  EXPECT_TRUE(now.pipeline.has_value());
  EXPECT_TRUE(std::holds_alternative<SessionStart>(list.events().front()));
  const std::vector<CheckpointSaved> saved = list.events<CheckpointSaved>();
  ASSERT_THAT(saved, testing::SizeIs(2));
  EXPECT_EQ(saved[0].step, 2);
  EXPECT_GT(saved[0].seconds, Seconds{0});
}

TEST_F(TrainSessionTest, LossesDoNotDependOnTheNumberOfWorkersToTheBit) {
  LoadedConfig one = config("one", 3);
  one.values.data.num_workers = 1;
  LoadedConfig three = config("three", 3);
  three.values.data.num_workers = 3;

  EXPECT_EQ(losses_of(one), losses_of(three));
}

TEST_F(TrainSessionTest, LossesAreTheSameToTheBitWithOneDeviceAndWithTwo) {
  LoadedConfig single = config("single", 3);
  LoadedConfig multi = config("multi", 3);
  use_two_virtual_gpus(multi);

  EXPECT_EQ(losses_of(single), losses_of(multi));
}

TEST_F(TrainSessionTest, ARunThatWasInterruptedEndsWithTheSameTensorsAsOneThatWasNot) {
  LoadedConfig whole = config("whole", 6);
  LoadedConfig parts = config("parts", 6);
  TrainListener stopped(2);
  TrainListener rest;

  losses_of(whole);
  EXPECT_EQ(train(parts, stopped).outcome.ending, TrainEnding::stopped);
  const TrainSummary summary = train(parts, rest);

  EXPECT_TRUE(summary.resumed_from.has_value());
  EXPECT_LT(rest.losses.size(), 6U);
  expect_equal(tensors_of(whole), tensors_of(parts));
}

TEST_F(TrainSessionTest, AnInterruptedRunOnTwoDevicesResumesToTheBitToo) {
  LoadedConfig whole = config("whole", 5);
  LoadedConfig parts = config("parts", 5);
  use_two_virtual_gpus(whole);
  use_two_virtual_gpus(parts);
  parts.values.training.gradient_accumulation_steps = 2;
  whole.values.training.gradient_accumulation_steps = 2;
  TrainListener stopped(2);

  losses_of(whole);
  train(parts, stopped);
  losses_of(parts);

  expect_equal(tensors_of(whole), tensors_of(parts));
}

TEST_F(TrainSessionTest, SeveralSpeakersAreTrainedTheSameInBothModesAndWhenResumed) {
  data_.write_manifest("metadata.csv", 0, 12, {"ada", "bea", "cleo", "ada", "bea"});
  LoadedConfig whole = config("whole", 5);
  LoadedConfig parts = config("parts", 5);
  whole.values.model.speaker_table = true;
  parts.values.model.speaker_table = true;
  use_two_virtual_gpus(parts);
  TrainListener stopped(2);

  losses_of(whole);
  train(parts, stopped);
  losses_of(parts);

  expect_equal(tensors_of(whole), tensors_of(parts));
}

TEST_F(TrainSessionTest, ValidatesSpeakersThatItDoesNotTrainAndSaysSo) {
  data_.write_manifest("metadata.csv", 0, 8, {"ada", "bea"});
  data_.write_manifest("others.csv", 8, 12, {"bea", "zoe"});
  LoadedConfig config = this->config("run", 2);
  config.values.model.speaker_table = true;
  config.values.data.val_data = folder("others.csv").string();
  config.values.training.validate_every = 2;
  TrainListener listener;

  train(config, listener);

  EXPECT_THAT(listener.notes,
              testing::Contains(testing::HasSubstr(
                  "1 speaker of the validation set is not in the training set (zoe)")));
  ASSERT_FALSE(listener.validations.empty());
  EXPECT_EQ(listener.validations.front().utterances, 4);
}

TEST_F(TrainSessionTest, ARunThatIsNeverValidatedTrains) {
  LoadedConfig config = this->config("run", 3);
  config.values.data.val_split = 0.4;
  config.values.training.validate_every = 0;
  TrainListener listener;

  const TrainSummary summary = train(config, listener);

  EXPECT_EQ(summary.outcome.progress.step, 3);
  EXPECT_TRUE(listener.validations.empty());
}

TEST_F(TrainSessionTest, FarMoreWorkersThanCoresAreTold) {
  LoadedConfig config = this->config("run", 1);
  config.values.data.num_workers = 999;
  TrainListener listener;

  train(config, listener);

  EXPECT_THAT(listener.notes, testing::Contains(testing::HasSubstr("999 workers")));
}

TEST_F(TrainSessionTest, ACheckpointOfAnotherSizeIsRefusedWithTheRemedy) {
  LoadedConfig nano = config("run", 1);
  losses_of(nano);
  nano.values.model.size = ModelSize::tiny;
  TrainListener listener;

  try {
    train(nano, listener);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("another size"));
    EXPECT_THAT(error.what(), testing::HasSubstr("--reset-training"));
  }
}

TEST_F(TrainSessionTest, ABudgetThatIsTooSmallIsRefusedWithTheNumberThatWouldFit) {
  LoadedConfig config = this->config("small", 1);
  use_two_virtual_gpus(config);
  config.values.pipeline.enable_memory_isolation = true;
  config.values.pipeline.model_gpu_memory = Megabytes{20};  // less than the model alone
  TrainListener listener;

  try {
    train(config, listener);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("try --model-gpu-memory "));
  }
}

TEST_F(TrainSessionTest, ResumeInsistsOnACheckpoint) {
  LoadedConfig config = this->config("empty", 1);
  config.values.training.resume = true;
  TrainListener listener;

  EXPECT_THROW(train(config, listener), Error);
}

class BestByTest : public TrainSessionTest, public testing::WithParamInterface<BestBy> {};

TEST_P(BestByTest, TheBestIsTheLeastOfWhatWasAskedFor) {
  LoadedConfig config = this->config("run", 4);
  config.values.data.val_split = 0.4;
  config.values.training.validate_every = 1;
  config.values.training.best_by = GetParam();
  TrainListener listener;

  const TrainSummary summary = train(config, listener);

  std::vector<double> scores;
  for (const ValidationResult& result : listener.validations) {
    scores.push_back(score_of(result, GetParam()));
  }
  ASSERT_EQ(scores.size(), 4U);
  const auto least = std::ranges::min_element(scores);
  EXPECT_EQ(summary.outcome.progress.best_score, *least);
  EXPECT_EQ(summary.outcome.progress.best_step, least - scores.begin() + 1);
}

INSTANTIATE_TEST_SUITE_P(,
                         BestByTest,
                         testing::Values(BestBy::free_running, BestBy::loss),
                         [](const auto& test) {
                           return test.param == BestBy::loss ? "Loss" : "FreeRunning";
                         });

TEST_F(TrainSessionTest, StopsWhenValidationsNoLongerImprove) {
  LoadedConfig config = this->config("run", 40);
  config.values.data.val_data = config.values.data.train_data;
  config.values.data.val_split = 0.4;
  config.values.training.validate_every = 1;
  config.values.training.early_stopping_patience = 2;
  config.values.training.learning_rate = 5.0;  // hopeless
  TrainListener listener;

  const TrainSummary summary = train(config, listener);

  EXPECT_EQ(summary.outcome.ending, TrainEnding::early_stop);
  EXPECT_GE(listener.validations.size(), 2U);
  EXPECT_TRUE(listener.validations.front().free_running.has_value());
}

TEST_F(TrainSessionTest, TheJournalHoldsEveryStepWithABreakdownThatAddsUp) {
  LoadedConfig config = this->config("run", 4);
  losses_of(config);

  const Result<JournalContents> journal = read_journal(folder("run") / "journal.jsonl");

  ASSERT_TRUE(journal.ok());
  int steps = 0;
  int slots = 0;
  Seconds residual{0};
  Seconds total{0};
  for (const JournalEntry& entry : journal.value().entries) {
    slots += std::holds_alternative<SlotRecord>(entry.event) ? 1 : 0;
    if (const auto* record = std::get_if<StepRecord>(&entry.event)) {
      ++steps;
      residual += record->phases.residual;
      total += record->phases.total();
    }
  }
  EXPECT_EQ(steps, 4);
  EXPECT_LT(residual, 0.02 * total);
  EXPECT_EQ(slots, 4);
}

TEST_F(TrainSessionTest, WhatHappensAtTheStartGateIsNoPartOfAStep) {
  constexpr auto kHeld = std::chrono::milliseconds(300);
  const LoadedConfig config = this->config("gate", 2);
  TrainListener listener;
  EventList list;

  (void)run_training({.config = config,
                      .observer = listener,
                      .say = [](const MessageArg&) {},
                      .measuring = nullptr,
                      .starting = [&](auto, auto) { std::this_thread::sleep_for(kHeld); },
                      .stop = listener.stop.get_token(),
                      .sinks = {&list},
                      .on_row = nullptr})
      .value();

  const std::vector<StepRecord> steps = list.events<StepRecord>();
  ASSERT_THAT(steps, testing::SizeIs(2));
  EXPECT_LT(steps[0].phases.checkpoint, kHeld / 2);
  EXPECT_LT(steps[0].phases.residual, kHeld / 2);
}

TEST_F(TrainSessionTest, ARunThatDivergesEndsWithAnErrorWhileStepsAreInFlight) {
  LoadedConfig config = this->config("run", 40);
  config.values.training.learning_rate = 10;
  config.values.training.warmup_steps = 1;
  config.values.training.gradient_clip = 0;
  config.values.training.weight_decay = 10;
  config.values.training.max_skipped_steps = 0;
  TrainListener listener;

  EXPECT_THROW(train(config, listener), Error);
}

TEST_F(TrainSessionTest, OverfittingSeesTheFirstBatchOnly) {
  LoadedConfig config = this->config("run", 3);
  config.values.training.overfit_one_batch = true;
  TrainListener listener;

  const TrainSummary summary = train(config, listener);

  EXPECT_EQ(summary.utterances, 4);
  EXPECT_EQ(summary.outcome.progress.position.epoch, 3);
}

}  // namespace
}  // namespace qanat
