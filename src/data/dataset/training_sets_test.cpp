#include "dataset/training_sets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "dataset/dataset_testing.h"
#include "locale/says_testing.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

// Audio files hold their length in samples; texts have a token per byte.
class TrainingSetsTest : public testing::Test {
 protected:
  void add(std::string_view set, std::string_view id, std::int64_t samples) const {
    folder_.write(fmt::format("{}/wavs/{}.wav", set, id), std::to_string(samples));
  }
  TrainingSetOptions options() const {
    return {.train_data = folder_.root() / "a",
            .split = {.val_fraction = 0.5},
            .index = {.cache_folders = {folder_.root() / "cache"}}};
  }
  static IndexSources sources() {
    return {.probe_length = [](const std::filesystem::path& path) -> Result<SampleCount> {
              const std::string bytes = read_text_file(path).value();
              return bytes.empty() ? Result<SampleCount>(Failure{"no bytes"})
                                   : SampleCount{std::stoll(bytes)};
            },
            .count_tokens = [](const Utterance& utterance) -> Result<TokenCount> {
              return TokenCount{static_cast<std::int64_t>(utterance.text.size())};
            }};
  }
  TrainingSets load(const TrainingSetOptions& options) const {
    return load_training_sets(options, sources()).value();
  }
  std::string error_of(const TrainingSetOptions& options) const {
    try {
      load(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  static std::vector<std::string> ids(const UtteranceSet& set) {
    std::vector<std::string> ids;
    for (const Utterance& utterance : set.manifest.utterances) {
      ids.push_back(utterance.id);
    }
    return ids;
  }

  DatasetFolder folder_;
};

TEST_F(TrainingSetsTest, OneSetIsDivided) {
  std::string rows;
  for (int i = 0; i < 20; ++i) {
    add("a", fmt::format("u{}", i), 10'000 + i);
    rows += fmt::format("u{}|text\n", i);
  }
  folder_.write("a/metadata.csv", rows);

  const TrainingSets sets = load(options());

  EXPECT_EQ(sets.train.manifest.utterances.size() + sets.validation->manifest.utterances.size(),
            20U);
  ASSERT_FALSE(sets.validation->manifest.utterances.empty());
  const Utterance& first = sets.validation->manifest.utterances.front();
  EXPECT_EQ(sets.validation->index.entries.front().samples,
            SampleCount{10'000 + std::stoi(first.id.substr(1))});
}

TEST_F(TrainingSetsTest, WhatDoesNotFitIsLeftOutAndListed) {
  add("a", "fits", 10'000);
  add("a", "long", 10'000'000);
  folder_.write("a/wavs/broken.wav", "");
  add("a", "eval", 10'000);
  folder_.write("a/metadata_train.csv", "gone|x\nfits|text\nlong|text\nbroken|text\n");
  folder_.write("a/metadata_eval.csv", "eval|text\n");

  const TrainingSets sets = load(options());

  EXPECT_THAT(ids(sets.train), ElementsAre("fits"));
  EXPECT_THAT(ids(sets.validation.value()), ElementsAre("eval"));
  EXPECT_THAT(sets.train.manifest.problems,
              ElementsAre(Field(&DatasetProblem::kind, ProblemKind::missing_audio),
                          AllOf(Field(&DatasetProblem::kind, ProblemKind::audio_too_long),
                                Field(&DatasetProblem::line, 3),
                                Field(&DatasetProblem::id, "long")),
                          AllOf(Field(&DatasetProblem::kind, ProblemKind::unreadable_audio),
                                Field(&DatasetProblem::detail, Says("no bytes")))));
  EXPECT_THAT(sets.train.index.failures, IsEmpty());
}

TEST_F(TrainingSetsTest, TwoSetsAreTakenWhole) {
  add("a", "one", 10'000);
  add("b", "two", 20'000);
  folder_.write("a/metadata.csv", "one|text\n");
  folder_.write("b/metadata.csv", "two|text\n");
  TrainingSetOptions both = options();
  both.val_data = folder_.root() / "b";

  const TrainingSets sets = load(both);

  EXPECT_THAT(ids(sets.train), ElementsAre("one"));
  EXPECT_THAT(ids(sets.validation.value()), ElementsAre("two"));
}

TEST_F(TrainingSetsTest, OfTwoSetsThatAreDividedEachGivesItsPart) {
  add("a", "train-a", 10'000);
  add("a", "eval-a", 10'000);
  add("b", "train-b", 10'000);
  add("b", "eval-b", 10'000);
  folder_.write("a/metadata_train.csv", "train-a|text\n");
  folder_.write("a/metadata_eval.csv", "eval-a|text\n");
  folder_.write("b/metadata_train.csv", "train-b|text\n");
  folder_.write("b/metadata_eval.csv", "eval-b|text\n");
  TrainingSetOptions both = options();
  both.val_data = folder_.root() / "b";

  const TrainingSets sets = load(both);

  EXPECT_THAT(ids(sets.train), ElementsAre("train-a"));
  EXPECT_THAT(ids(sets.validation.value()), ElementsAre("eval-b"));
}

TEST_F(TrainingSetsTest, TheSameSetTwiceIsDivided) {
  add("a", "one", 10'000);
  add("a", "two", 10'000);
  folder_.write("a/metadata_train.csv", "one|text\n");
  folder_.write("a/metadata_eval.csv", "two|text\n");
  TrainingSetOptions same = options();
  same.val_data = folder_.root() / "a" / ".";

  EXPECT_THAT(ids(load(same).train), ElementsAre("one"));
}

TEST_F(TrainingSetsTest, AnEvalSetForTrainingIsRefused) {
  add("a", "one", 10'000);
  add("b", "two", 10'000);
  folder_.write("a/metadata_eval.csv", "one|text\n");
  folder_.write("b/metadata_eval.csv", "two|text\n");
  TrainingSetOptions both = options();
  both.val_data = folder_.root() / "b";

  EXPECT_THAT(error_of(both), HasSubstr("no utterance for training"));
}

TEST_F(TrainingSetsTest, ASetInWhichNothingFitsIsRefusedWithTheReasons) {
  add("a", "one", 10'000'000);
  folder_.write("a/metadata.csv", "one|text\n");

  EXPECT_THAT(error_of(options()), HasSubstr("none of 1 utterances can be used: 1 audio_too_long"));
}

TEST_F(TrainingSetsTest, OneUtteranceTrainsWithoutValidation) {
  add("a", "one", 10'000);
  folder_.write("a/metadata.csv", "one|text\n");
  TrainingSetOptions small = options();
  small.split.val_fraction = 1e-9;

  const TrainingSets sets = load(small);

  EXPECT_THAT(ids(sets.train), ElementsAre("one"));
  EXPECT_FALSE(sets.validation.has_value());
  EXPECT_THAT(sets.note.value(), Says(HasSubstr("none of 1 usable utterances is for validation")));
}

TEST_F(TrainingSetsTest, NothingToTrainOnIsRefused) {
  add("a", "one", 10'000);
  folder_.write("a/metadata_eval.csv", "one|text\n");

  EXPECT_THAT(error_of(options()), HasSubstr("no utterance for training"));
}

TEST_F(TrainingSetsTest, AWholeSetHasAllThatFits) {
  add("a", "one", 10'000);
  add("a", "two", 10'000);
  folder_.write("a/metadata_train.csv", "one|text\n");
  folder_.write("a/metadata_eval.csv", "two|text\n");

  const auto set = load_utterance_set(folder_.root() / "a", options(), sources());

  EXPECT_THAT(ids(set.value()), ElementsAre("one", "two"));
}

TEST_F(TrainingSetsTest, StopGivesNothing) {
  add("a", "one", 10'000);
  folder_.write("a/metadata.csv", "one|text\n");
  std::stop_source source;
  source.request_stop();
  TrainingSetOptions stopped = options();
  stopped.index.stop = source.get_token();

  EXPECT_FALSE(load_training_sets(stopped, sources()).has_value());
}

}  // namespace
}  // namespace qanat
