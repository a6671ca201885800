#include "train/train_progress.h"

#include <gmock/gmock.h>

namespace qanat {
namespace {

TrainProgress sample() {
  return {.step = 70,
          .position = {.epoch = 3, .batch = 4},
          .best_score = 1.5,
          .best_step = 60,
          .validations_since_best = 1,
          .lowest = LowestLoss{.step = 40, .clips = {1.5, 2.5}},
          .skipped_steps = 2,
          .skipped_in_a_row = 1,
          .history = nlohmann::json::array({{{"step", 60}}})};
}

TEST(TrainProgressTest, ReadsBackWhatItWrote) {
  const Result<TrainProgress> read = to_train_progress(to_json(sample()));

  ASSERT_TRUE(read.ok()) << read.failure().what;
  EXPECT_EQ(read.value(), sample());
}

TEST(TrainProgressTest, ARunThatNeverValidatedHasNoBest) {
  TrainProgress progress = sample();
  progress.best_score.reset();
  progress.best_step = 0;

  EXPECT_EQ(to_train_progress(to_json(progress)).value(), progress);
}

TEST(TrainProgressTest, NamesAFieldThatIsMissing) {
  nlohmann::json json = to_json(sample());
  json.erase("validations_since_best");

  const Result<TrainProgress> read = to_train_progress(json);

  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.failure().what, testing::HasSubstr("validations_since_best"));
}

TEST(TrainProgressTest, CheckpointsOfEarlierVersionsHaveNoLowestLoss) {
  nlohmann::json json = to_json(sample());
  json.erase("lowest_loss");

  EXPECT_FALSE(to_train_progress(json).value().lowest);
}

TEST(TrainProgressTest, ValidationsAreComparedWithTheLowestBeforeThem) {
  TrainProgress progress{.step = 10};
  const auto validate = [&](double first, double second) {
    ValidationResult result{.clip_losses = {first, second}};
    result.losses.total = (first + second) / 2;
    return compare_with_lowest(progress, result);
  };

  EXPECT_FALSE(validate(2, 4));
  progress.step = 20;
  EXPECT_DOUBLE_EQ(validate(1, 3)->change, -1);
  progress.step = 30;
  EXPECT_DOUBLE_EQ(validate(2, 3)->change, 0.5);
  progress.step = 40;
  const SinceLowest since = validate(3, 3).value();

  EXPECT_EQ(since.step, 20);
  EXPECT_DOUBLE_EQ(since.loss, 2);
  EXPECT_DOUBLE_EQ(since.change, 1);
}

TEST(TrainProgressTest, RefusesANegativePosition) {
  nlohmann::json json = to_json(sample());
  json["position"]["batch"] = -1;

  EXPECT_FALSE(to_train_progress(json).ok());
}

}  // namespace
}  // namespace qanat
