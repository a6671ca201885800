// What a run does when it resumes with other data, another order or another length.
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "audio/wav_writer.h"
#include "base/error.h"
#include "metrics/journal_testing.h"
#include "training/train_session_testing.h"

namespace qanat {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

// The utterances of the batches of one epoch, as the loader read them.
class EpochRows {
 public:
  EpochRows(TrainListener& listener, std::int64_t epoch) : epoch_(epoch) {
    listener.on_row = [this](const RowSpan& span) {
      const std::lock_guard lock(mutex_);
      if (span.batch.epoch == epoch_) {
        rows_.emplace(span.batch.index, span.utterance);
      }
    };
  }

  // What the batches hold from `first` up to, not including, `last`.
  std::multiset<std::string> utterances(std::int64_t first, std::int64_t last) const {
    const std::lock_guard lock(mutex_);
    std::multiset<std::string> found;
    for (const auto& [batch, utterance] : rows_) {
      if (batch >= first && batch < last) {
        found.insert(utterance);
      }
    }
    return found;
  }

 private:
  const std::int64_t epoch_;
  mutable std::mutex mutex_;  // guards rows_
  std::multimap<std::int64_t, std::string> rows_;
};

constexpr std::int64_t kManyBatches = 1000;
constexpr std::size_t kTrained = 11;  // of twelve utterances; one is validated on

class TrainResumeTest : public TrainSessionTest {
 protected:
  // Interrupted in the middle of epoch 1; three batches are an epoch.
  LoadedConfig interrupted(const std::string& name) {
    LoadedConfig config = this->config(name, 9);
    config.values.training.save_every = 4;
    config.values.training.max_steps = 4;
    TrainListener first;
    EpochRows rows(first, 1);
    const TrainSummary summary = train(config, first);
    EXPECT_EQ(summary.outcome.progress.position, (Position{.epoch = 1, .batch = 1}));
    EXPECT_EQ(summary.utterances, kTrained);  // the split holds back the twelfth, no fault does
    trained_ = rows.utterances(0, 1);
    config.values.training.max_steps = 9;
    return config;
  }
  void add_clip(const std::string& name, const std::string& text = "one more clip") {
    const std::filesystem::path root = *data_.config().data.train_data;
    write_wav(root / "wavs" / (name + ".wav"), std::vector<float>(13'000, 0.1F), SampleRate{22050});
    std::ofstream(root / "metadata.csv", std::ios::app) << name << '|' << text << '\n';
  }
  static CheckpointFolder folder_of(const LoadedConfig& config) {
    return {config.values.training.checkpoint_dir, config.values.training.keep_checkpoints};
  }
  static Checkpoint newest_of(const LoadedConfig& config) {
    return folder_of(config).newest(nullptr).value().checkpoint;
  }
  // Changes what a run that goes on finds.
  static void edit_newest(const LoadedConfig& config,
                          const std::function<void(Checkpoint&)>& change) {
    CheckpointFolder folder = folder_of(config);
    LoadedCheckpoint loaded = folder.newest(nullptr).value();
    change(loaded.checkpoint);
    folder.save(loaded.step, loaded.checkpoint, false);
  }

  std::multiset<std::string> trained_;  // in epoch 1, before the interruption
};

TEST_F(TrainResumeTest, AnUnchangedPlanGoesOnAndTrainsOnEveryUtteranceOnce) {
  const LoadedConfig config = interrupted("same");
  TrainListener rest;
  EpochRows rows(rest, 1);

  train(config, rest);

  EXPECT_THAT(rest.notes, Each(Not(HasSubstr("starts over"))));
  std::multiset<std::string> all = rows.utterances(1, kManyBatches);
  all.merge(trained_);
  EXPECT_EQ(all.size(), kTrained);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), kTrained);
}

struct PlanChange {
  const char* name;
  const char* said;
  std::function<void(RunConfig&)> apply;
};

class ChangedPlanTest : public TrainResumeTest, public testing::WithParamInterface<PlanChange> {};

TEST_P(ChangedPlanTest, BeginsTheEpochAgainAndSaysSo) {
  LoadedConfig config = interrupted("changed");
  GetParam().apply(config.values);
  TrainListener rest;
  EpochRows rows(rest, 1);
  EventList journal;
  rest.sinks = {&journal};

  train(config, rest);

  EXPECT_THAT(
      rest.notes,
      Contains(testing::AllOf(HasSubstr(GetParam().said), HasSubstr("epoch 1 starts over"))));
  EXPECT_EQ(journal.events<Resumed>().size(), 1U);
  EXPECT_GE(journal.events<NoteTold>().size(), 1U);
  const std::multiset<std::string> all = rows.utterances(0, kManyBatches);
  EXPECT_EQ(all.size(), kTrained);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), kTrained);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    ChangedPlanTest,
    testing::Values(PlanChange{"Seed",
                               "training.seed 0 -> 99",
                               [](RunConfig& config) { config.training.seed = 99; }},
                    PlanChange{"BatchSize",
                               "data.batch_size 4 -> 3",
                               [](RunConfig& config) { config.data.batch_size = 3; }},
                    PlanChange{"FrameBudget",
                               "pipeline.frame_budget null -> 2048",
                               [](RunConfig& config) { config.pipeline.frame_budget = 2048; }}),
    [](const auto& test) { return test.param.name; });

TEST_F(TrainResumeTest, AGrownDataSetBeginsTheEpochAgain) {
  const LoadedConfig config = interrupted("grown");
  add_clip("one_more");
  TrainListener rest;
  EpochRows rows(rest, 1);

  train(config, rest);

  EXPECT_THAT(rest.notes, Contains(HasSubstr("(other utterances): epoch 1 starts over")));
  const std::multiset<std::string> all = rows.utterances(0, kManyBatches);
  EXPECT_EQ(all.size(), kTrained + 1);
  EXPECT_EQ(all.count("one_more"), 1U);
}

TEST_F(TrainResumeTest, ACheckpointOfAnEarlierVersionGoesOnToo) {
  const LoadedConfig config = interrupted("earlier");
  edit_newest(config, [](Checkpoint& checkpoint) {
    for (const char* key : {"plan", "splits", "validation"}) {
      checkpoint.state["data"].erase(key);
    }
    checkpoint.state.erase("schedule");
    checkpoint.optimizer.erase("loss_scale");
  });
  TrainListener rest;

  const TrainSummary summary = train(config, rest);

  EXPECT_EQ(summary.resumed_from, 4);
  EXPECT_THAT(rest.notes, Each(Not(HasSubstr("starts over"))));
  EXPECT_EQ(summary.outcome.progress.position, (Position{.epoch = 3, .batch = 0}));
}

class TrainSplitTest : public TrainSessionTest {
 protected:
  LoadedConfig validating(double share, std::int64_t steps) const {
    LoadedConfig config = this->config("run", steps);
    config.values.data.val_split = share;
    config.values.training.validate_every = 1;
    return config;
  }
};

TEST_F(TrainSplitTest, ALargerSplitMovesNothingThatWasTrainedOnIntoValidation) {
  TrainListener first;
  const TrainSummary before = train(validating(0.2, 1), first);
  ASSERT_LT(before.utterances, 12);
  TrainListener rest;

  const TrainSummary after = train(validating(0.5, 2), rest);

  EXPECT_EQ(after.utterances, before.utterances);
  EXPECT_EQ(rest.validations.back().utterances, first.validations.back().utterances);
  EXPECT_THAT(rest.notes, Contains(HasSubstr("trained on before the checkpoint and stay")));
  EXPECT_THAT(rest.notes, Each(Not(HasSubstr("best score"))));
}

TEST_F(TrainSplitTest, AnotherValidationSetBeginsWithoutABestScore) {
  TrainListener first;
  const TrainSummary before = train(validating(0.5, 1), first);
  TrainListener rest;

  const TrainSummary after = train(validating(0.2, 2), rest);

  ASSERT_LT(rest.validations.back().utterances, first.validations.back().utterances);
  EXPECT_THAT(rest.notes, Contains(HasSubstr("its best score")));
  EXPECT_EQ(after.outcome.progress.best_step, 2);
}

TEST_F(TrainSplitTest, AnotherMeasureBeginsWithoutABestScore) {
  TrainListener first;
  train(validating(0.4, 1), first);
  LoadedConfig config = validating(0.4, 2);
  config.values.training.best_by = BestBy::loss;
  TrainListener rest;

  const TrainSummary after = train(config, rest);

  EXPECT_THAT(rest.notes, Contains(HasSubstr("training.best_by differs from the checkpoint's")));
  EXPECT_EQ(after.outcome.progress.best_score, rest.validations.back().losses.total);
}

TEST_F(TrainSplitTest, TheSplitDoesNotFollowTheSeedOfTheRun) {
  TrainListener first;
  TrainListener second;
  EpochRows rows(first, 0);
  EpochRows others(second, 0);
  LoadedConfig other = validating(0.4, 2);
  other.values.training.seed = 99;
  other.values.training.checkpoint_dir = folder("other").string();

  train(validating(0.4, 2), first);
  train(other, second);

  EXPECT_EQ(rows.utterances(0, kManyBatches), others.utterances(0, kManyBatches));
}

TEST_F(TrainResumeTest, ALongerRunContinuesItsLearningRate) {
  LoadedConfig config = this->config("longer", 4);
  TrainListener first;
  train(config, first);
  config.values.training.max_steps = 8;
  TrainListener rest;

  train(config, rest);

  EXPECT_THAT(rest.notes, Contains(HasSubstr("the run now has 8 steps instead of 4")));
  EXPECT_LE(rest.rates.at(4), first.rates.at(3));
}

// Only half precision changes it; this run has none, and hands on what it found.
TEST_F(TrainResumeTest, TheLossScaleIsThatOfTheCheckpoint) {
  const LoadedConfig config = interrupted("scale");
  const torch::Tensor scale = torch::tensor({96.0F, 7.0F});
  edit_newest(config,
              [&](Checkpoint& checkpoint) { checkpoint.optimizer.at("loss_scale").copy_(scale); });

  losses_of(config);

  EXPECT_TRUE(torch::equal(newest_of(config).optimizer.at("loss_scale"), scale));
}

TEST_F(TrainResumeTest, WeightsKeepTheLanguagesTheyHaveLearned) {
  add_clip("persian", "سلام دنیا");
  LoadedConfig config = this->config("languages", 1);
  config.values.data.val_split = 0;
  losses_of(config);
  data_.write_manifest("metadata.csv", 0, 12);
  config.values.training.max_steps = 2;

  losses_of(config);

  EXPECT_EQ(newest_of(config).state.at("languages"), nlohmann::json({"en", "fa"}));
}

TEST_F(TrainResumeTest, WhoSaysMostInALanguageSpeaksItUnlessAnotherIsAskedFor) {
  data_.write_manifest("metadata.csv", 0, 12, {"anna", "bert", "bert"});
  LoadedConfig config = this->config("speakers", 1);
  config.values.data.val_split = 0;
  config.values.model.speaker_table = true;

  losses_of(config);

  EXPECT_EQ(newest_of(config).state.at("default_speakers"),
            nlohmann::json::object({{"en", "bert"}}));
}

TEST_F(TrainResumeTest, AModelWithoutATableHasNoDefaultSpeakers) {
  data_.write_manifest("metadata.csv", 0, 12, {"anna", "bert"});
  const LoadedConfig config = this->config("nobody", 1);

  losses_of(config);

  EXPECT_FALSE(newest_of(config).state.contains("default_speakers"));
}

TEST_F(TrainResumeTest, LanguagesThatAreNotKnownStaySo) {
  const LoadedConfig config = interrupted("unknown");
  edit_newest(config, [](Checkpoint& checkpoint) { checkpoint.state.erase("languages"); });

  losses_of(config);

  EXPECT_EQ(newest_of(config).state.at("languages"), nlohmann::json::array());
}

TEST_F(TrainResumeTest, ANewScheduleIsComputedWhenAskedFor) {
  LoadedConfig config = this->config("anew", 4);
  losses_of(config);
  config.values.training.max_steps = 8;
  config.values.training.reset_schedule = true;
  TrainListener rest;

  train(config, rest);

  EXPECT_THAT(rest.notes, Contains(HasSubstr("computed again, as asked for")));
}

TEST_F(TrainResumeTest, StepsThatWereAskedForWinOverEpochsThatWereNot) {
  LoadedConfig config = this->config("steps", 100'000);
  config.values.training.epochs.reset();
  TrainListener listener(1);

  train(config, listener);

  EXPECT_EQ(listener.last_step, 100'000);
}

TEST_F(TrainResumeTest, ARunThatDivergedIsNotContinued) {
  LoadedConfig config = interrupted("diverged");
  config.values.training.keep_checkpoints = 1;
  edit_newest(config, [](Checkpoint& checkpoint) {
    checkpoint.weights.begin()->second.fill_(std::numeric_limits<float>::quiet_NaN());
  });
  TrainListener rest;

  EXPECT_THROW(train(config, rest), Error);

  EXPECT_THAT(rest.notes, Contains(HasSubstr("holds values that are not finite")));
}

TEST_F(TrainResumeTest, OneTrainingUsesAFolder) {
  LoadedConfig config = this->config("locked", 2);
  TrainListener first;
  std::string refusal;
  first.on_row = [&, once = std::make_shared<std::once_flag>()](const RowSpan&) {
    std::call_once(*once, [&] {
      TrainListener second;
      try {
        train(config, second);
      } catch (const Error& error) {
        refusal = error.what();
      }
    });
  };

  train(config, first);

  EXPECT_THAT(refusal, HasSubstr("another training uses this folder: process "));
}

}  // namespace
}  // namespace qanat
