// Runs whose files the system refuses: what they survive, and what they say.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <semaphore>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/time.h"
#include "locale/translator.h"
#include "training/train_session_testing.h"

namespace qanat {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const RetryWait kShort{.first = Seconds{0.001}, .timeout = Seconds{0.01}};

// Acts when it hears a note.
class ActingListener : public TrainListener {
 public:
  void on_note(const MessageArg& note) override {
    TrainListener::on_note(note);
    if (act && notes.back().find(cue) != std::string::npos) {
      act();
    }
  }

  std::string cue;
  std::function<void()> act;
};

class TrainFaultsTest : public TrainSessionTest, public testing::WithParamInterface<TrainingTask> {
 protected:
  // Six steps, with checkpoints of the second, the fourth and the last.
  LoadedConfig config_of_task() const {
    LoadedConfig config = this->config("run", 6);
    config.values.training.task = GetParam();
    config.values.training.save_every = 2;
    config.values.training.render_every = 2;
    config.values.training.validate_every = 3;
    config.values.training.keep_checkpoints = 9;
    config.values.data.val_split = 0.3;
    config.values.vocoder.segment_frames = 12;
    return config;
  }
  // A file where a folder has to be: also root is refused.
  void block(const std::string& name) const {
    std::filesystem::create_directories(folder("run"));
    std::ofstream(folder("run") / name) << "in the way";
  }
  static TrainSummary train_with(const LoadedConfig& config,
                                 TrainListener& listener,
                                 const RetryWait& retry) {
    return run_training({.config = config,
                         .observer = listener,
                         .say = [](const MessageArg&) {},
                         .measuring = nullptr,
                         .starting = [](std::int64_t, std::int64_t) {},
                         .stop = listener.stop.get_token(),
                         .save_retry = retry})
        .value();
  }
  std::vector<std::int64_t> saved() const { return CheckpointFolder(folder("run"), 9).steps(); }
};

TEST_P(TrainFaultsTest, ARenderThatCannotBeWrittenIsANote) {
  block("renders");
  TrainListener listener;

  const TrainSummary summary = train(config_of_task(), listener);

  EXPECT_EQ(summary.outcome.progress.step, 6);
  EXPECT_THAT(listener.notes, Contains(HasSubstr("training continues without it")));
  EXPECT_THAT(listener.notes, Contains(HasSubstr("Not a directory")));
  EXPECT_THAT(saved(), Contains(6));
}

TEST_P(TrainFaultsTest, AConfigurationThatCannotBeWrittenIsANote) {
  std::filesystem::create_directories(folder("run") / "run.yaml");
  TrainListener listener;

  const TrainSummary summary = train(config_of_task(), listener);

  EXPECT_EQ(summary.outcome.progress.step, 6);
  EXPECT_THAT(listener.notes, Contains(HasSubstr("the run continues without this file")));
}

TEST_P(TrainFaultsTest, ACheckpointIsTriedAgain) {
  block("step-000000002");
  ActingListener listener;
  listener.cue = "trying again";
  listener.act = [this] { std::filesystem::remove(folder("run") / "step-000000002"); };

  train(config_of_task(), listener);

  EXPECT_THAT(listener.notes, Contains(HasSubstr("Not a directory")));
  EXPECT_THAT(listener.notes, Contains(HasSubstr("the attempt after")));
  EXPECT_THAT(listener.notes, Not(Contains(HasSubstr("free space"))));
  EXPECT_THAT(saved(), testing::IsSupersetOf({2, 4, 6}));
}

TEST_P(TrainFaultsTest, ARunGoesOnWithoutACheckpointAndLearnsTheSame) {
  LoadedConfig whole = config_of_task();
  whole.values.training.checkpoint_dir = folder("whole").string();
  TrainListener unheard;
  train(whole, unheard);
  block("step-000000002");
  TrainListener listener;

  const TrainSummary summary = train_with(config_of_task(), listener, kShort);

  EXPECT_EQ(summary.outcome.progress.step, 6);
  EXPECT_THAT(listener.notes, Contains(HasSubstr("1 of 3 failed saves in a row")));
  EXPECT_THAT(saved(), Not(Contains(2)));
  expect_equal(tensors_of(config_of_task()), tensors_of(whole));
}

TEST_P(TrainFaultsTest, TooManyFailedSavesInARowEndTheRun) {
  LoadedConfig config = config_of_task();
  config.values.training.max_steps = 20;
  for (int step = 0; step <= 20; ++step) {
    block(fmt::format("step-{:09}", step));
  }
  TrainListener listener;

  EXPECT_THAT([&] { train_with(config, listener, kShort); },
              testing::ThrowsMessage<Error>(HasSubstr("Not a directory")));

  EXPECT_THAT(listener.notes, Contains(HasSubstr("2 of 3 failed saves in a row")));
}

TEST_P(TrainFaultsTest, TheLastCheckpointHasToBeSaved) {
  block("step-000000006");
  TrainListener listener;

  EXPECT_THAT([&] { train_with(config_of_task(), listener, kShort); },
              testing::ThrowsMessage<Error>(HasSubstr("checkpoint of step 6")));

  EXPECT_THAT(saved(), testing::IsSupersetOf({2, 4}));
}

// Fails in the step after a save was refused.
class FailingListener : public TrainListener {
 public:
  void on_note(const MessageArg& note) override {
    TrainListener::on_note(note);
    if (Translator().said(note).find("trying again") != std::string::npos) {
      refused_.release();
    }
  }
  void on_step(const StepRecord& record) override {
    TrainListener::on_step(record);
    if (record.step >= 2) {
      refused_.acquire();
      throw Error("the run fails");
    }
  }

 private:
  std::binary_semaphore refused_{0};
};

TEST_P(TrainFaultsTest, ARunThatFailsDoesNotWaitForASaveThatIsRefused) {
  block("step-000000002");
  FailingListener listener;
  const Clock::time_point begin = Clock::now();

  EXPECT_THAT(
      [&] {
        train_with(config_of_task(), listener, {.timeout = Seconds{100}, .grace = Seconds{0.1}});
      },
      testing::ThrowsMessage<Error>(HasSubstr("the run fails")));

  EXPECT_LT(seconds_since(begin), Seconds{50});
}

INSTANTIATE_TEST_SUITE_P(Tasks,
                         TrainFaultsTest,
                         testing::Values(TrainingTask::speech, TrainingTask::vocoder),
                         [](const auto& test) {
                           return test.param == TrainingTask::speech ? "speech" : "vocoder";
                         });

}  // namespace
}  // namespace qanat
