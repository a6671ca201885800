// Runs of a small model on a small data set, and what they tell.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "app/session_testing.h"
#include "checkpoint/checkpoint.h"
#include "locale/translator.h"
#include "training/train_session.h"

namespace qanat {

// Keeps what a run tells; asks it to stop after a number of steps, if wanted.
class TrainListener : public TrainObserver {
 public:
  explicit TrainListener(std::int64_t stop_after = 0) : stop_after_(stop_after) {}

  void on_note(const MessageArg& note) override { notes.push_back(Translator().said(note)); }
  void on_step(const StepRecord& record) override {
    losses[record.step] = record.losses.total;
    rates[record.step] = record.learning_rate;
    if (record.step + 1 == stop_after_) {
      stop.request_stop();
    }
  }
  void on_validation(const ValidationDone& done, const TrainProgress& /*progress*/) override {
    validations.push_back(done.result);
  }

  std::vector<std::string> notes;
  std::int64_t last_step = 0;  // of the run, as it says when it starts
  RowFn on_row;
  std::map<std::int64_t, double> losses;
  std::map<std::int64_t, double> rates;
  std::vector<EventSink*> sinks;  // of the run that is listened to
  std::vector<ValidationResult> validations;
  std::stop_source stop;

 private:
  const std::int64_t stop_after_;
};

class TrainSessionTest : public testing::Test {
 protected:
  explicit TrainSessionTest(int utterances = 12) : data_(utterances) {}

  LoadedConfig config(const std::string& name, std::int64_t steps) const {
    LoadedConfig config{.values = data_.config(), .origins = {}};
    config.values.model.size = ModelSize::nano;
    config.values.training.epochs = 50;
    config.values.training.max_steps = steps;
    config.values.training.save_every = 1000;
    config.values.training.validate_every = 1000;
    config.values.training.checkpoint_dir = folder(name).string();
    return config;
  }
  static void use_two_virtual_gpus(LoadedConfig& config) {
    config.values.pipeline.virtual_gpus = 2;
    config.values.data.data_gpu = 0;
    config.values.data.model_gpu = 1;
  }
  std::filesystem::path folder(const std::string& name) const {
    return std::filesystem::path(*data_.config().data.train_data) / name;
  }
  static TrainSummary train(const LoadedConfig& config, TrainListener& listener) {
    return run_training(
               {.config = config,
                .observer = listener,
                .say = [](const MessageArg&) {},
                .measuring = nullptr,
                .starting = [&](std::int64_t, std::int64_t last) { listener.last_step = last; },
                .stop = listener.stop.get_token(),
                .sinks = listener.sinks,
                .on_row = listener.on_row})
        .value();
  }
  static std::map<std::int64_t, double> losses_of(const LoadedConfig& config) {
    TrainListener listener;
    train(config, listener);
    return listener.losses;
  }
  // Everything of the latest checkpoint that later steps depend on.
  static TensorMap tensors_of(const LoadedConfig& config) {
    const LoadedCheckpoint loaded = CheckpointFolder(config.values.training.checkpoint_dir, 3)
                                        .newest([](const auto&) {})
                                        .value();
    TensorMap all = loaded.checkpoint.weights;
    for (const auto& [name, tensor] : loaded.checkpoint.ema) {
      all.emplace("ema." + name, tensor);
    }
    for (const auto& [name, tensor] : loaded.checkpoint.optimizer) {
      all.emplace("optimizer." + name, tensor);
    }
    return all;
  }
  static void expect_equal(const TensorMap& a, const TensorMap& b) {
    ASSERT_EQ(a.size(), b.size());
    for (const auto& [name, tensor] : a) {
      ASSERT_TRUE(torch::equal(tensor, b.at(name))) << name;
    }
  }

  const OneCore one_core_;
  SmallDataSet data_;
};

}  // namespace qanat
