#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/training_sets.h"
#include "locale/says_testing.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Manifest numbered(int count) {
  Manifest manifest{.root = "/set"};
  for (int i = 0; i < count; ++i) {
    manifest.utterances.push_back({.id = "utt" + std::to_string(i)});
  }
  return manifest;
}

DatasetSplit split_all(const Manifest& manifest, const SplitOptions& options) {
  std::vector<std::uint32_t> items(manifest.utterances.size());
  std::iota(items.begin(), items.end(), 0U);
  return split_dataset(manifest, items, options);
}

std::set<std::string> validation_ids(const Manifest& manifest, const SplitOptions& options) {
  std::set<std::string> ids;
  for (const std::uint32_t item : split_all(manifest, options).validation) {
    ids.insert(manifest.utterances[item].id);
  }
  return ids;
}

std::string refusal_of(const Manifest& manifest, const SplitOptions& options) {
  const auto why = why_unusable(manifest, split_all(manifest, options));
  return why ? Translator().tr(*why) : "accepted";
}

std::string note_of(const Manifest& manifest, const SplitOptions& options) {
  const auto why = why_without_validation(manifest, split_all(manifest, options), options);
  return why ? Translator().tr(*why) : "none";
}

TEST(SplitTest, EveryUtteranceIsOnOneSide) {
  const DatasetSplit split = split_all(numbered(1000), {.val_fraction = 0.1});

  EXPECT_EQ(split.train.size() + split.validation.size(), 1000U);
  EXPECT_NEAR(static_cast<double>(split.validation.size()), 100, 30);  // 3 sigma
}

TEST(SplitTest, DoesNotDependOnOrderNorOnOtherRows) {
  const SplitOptions options{.val_fraction = 0.2, .seed = 5};
  Manifest reordered = numbered(300);
  std::ranges::reverse(reordered.utterances);
  reordered.utterances.resize(250);  // utt299 ... utt50
  std::set<std::string> expected = validation_ids(numbered(300), options);
  std::erase_if(expected, [](const std::string& id) { return std::stoi(id.substr(3)) < 50; });

  EXPECT_EQ(validation_ids(reordered, options), expected);
}

// These ids are what every earlier version chose: a resumed run has to find the same split.
TEST(SplitTest, IsTheSameOnEveryMachineAndInEveryVersion) {
  EXPECT_THAT(validation_ids(numbered(40), {.val_fraction = 0.1, .seed = 0}),
              ElementsAre("utt11", "utt24", "utt8"));
}

TEST(SplitTest, AnotherSeedIsAnotherSplit) {
  EXPECT_NE(validation_ids(numbered(200), {.val_fraction = 0.2, .seed = 1}),
            validation_ids(numbered(200), {.val_fraction = 0.2, .seed = 2}));
}

TEST(SplitTest, ALargerFractionOnlyAdds) {
  const auto small = validation_ids(numbered(200), {.val_fraction = 0.1});
  const auto large = validation_ids(numbered(200), {.val_fraction = 0.3});

  EXPECT_TRUE(std::ranges::includes(large, small));
}

TEST(SplitTest, WhatWasTrainedOnDoesNotValidateWhenTheFractionGrows) {
  const SplitOptions larger{
      .val_fraction = 0.3,
      .earlier = {{.by = SplitRule::By::hash, .val_fraction = 0.1, .seed = 0}}};

  const DatasetSplit split = split_all(numbered(200), larger);

  EXPECT_EQ(validation_ids(numbered(200), larger),
            validation_ids(numbered(200), {.val_fraction = 0.1}));
  EXPECT_EQ(static_cast<std::size_t>(split.kept),
            validation_ids(numbered(200), {.val_fraction = 0.3}).size() - split.validation.size());
}

TEST(SplitTest, WhatWasTrainedOnDoesNotValidateBecauseAnEvalFileAppears) {
  Manifest manifest = numbered(4);
  manifest.utterances[2].split = SplitHint::validation;
  const SplitOptions options{.earlier = {{.by = SplitRule::By::nothing}}};

  const DatasetSplit split = split_all(manifest, options);

  EXPECT_TRUE(split.validation.empty());
  EXPECT_EQ(split.kept, 1);
}

TEST(SplitTest, AnEvalFileDecides) {
  Manifest manifest = numbered(3);
  manifest.utterances[0].split = SplitHint::train;
  manifest.utterances[1].split = SplitHint::validation;
  manifest.utterances[2].split = SplitHint::train;

  const DatasetSplit split = split_all(manifest, {.val_fraction = 0.9});

  EXPECT_THAT(split.train, ElementsAre(0, 2));
  EXPECT_THAT(split.validation, ElementsAre(1));
}

TEST(SplitTest, ATrainFileAloneIsDividedByHash) {
  Manifest manifest = numbered(100);
  for (Utterance& utterance : manifest.utterances) {
    utterance.split = SplitHint::train;
  }

  EXPECT_FALSE(split_all(manifest, {.val_fraction = 0.2}).validation.empty());
}

TEST(SplitTest, AnEmptyValidationSetIsNotedWithAFractionThatWorks) {
  const Manifest manifest = numbered(8);
  const SplitOptions options{.val_fraction = 0.0001};
  const std::string note = note_of(manifest, options);
  ASSERT_THAT(note,
              AllOf(HasSubstr("none of 8 usable utterances is for validation"),
                    HasSubstr("or val_split ")));
  const double advised = std::stod(note.substr(note.find("or val_split ") + 13));

  EXPECT_EQ(refusal_of(manifest, options), "accepted");
  EXPECT_EQ(note_of(manifest, {.val_fraction = advised}), "none");
}

TEST(SplitTest, WhoWantsNoValidationIsToldNothing) {
  EXPECT_EQ(note_of(numbered(8), {.val_fraction = 0}), "none");
}

TEST(SplitTest, AnEmptyTrainingSetIsRefused) {
  EXPECT_THAT(refusal_of(numbered(8), {.val_fraction = 1.0}),
              HasSubstr("no utterance for training"));
}

TEST(SplitTest, ASetOfEvalRowsOnlyIsRefused) {
  Manifest manifest = numbered(1);
  manifest.utterances[0].split = SplitHint::validation;

  EXPECT_THAT(refusal_of(manifest, {}),
              HasSubstr("no utterance for training: all 1 usable ones are for validation"));
}

TEST(SplitTest, OnlyTheItemsNamedAreDivided) {
  const std::vector<std::uint32_t> items = {3, 5};

  const DatasetSplit split = split_dataset(numbered(9), items, {.val_fraction = 0});

  EXPECT_THAT(split.train, ElementsAre(3, 5));
}

TEST(SplitTest, OneUtteranceTrainsWithoutValidation) {
  EXPECT_EQ(refusal_of(numbered(1), {}), "accepted");
  EXPECT_THAT(note_of(numbered(1), {}), HasSubstr("goes without; try --val-data"));
}

}  // namespace
}  // namespace qanat
