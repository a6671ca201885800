#include "metrics/step_record.h"

#include <limits>

#include <gmock/gmock.h>

namespace qanat {
namespace {

StepRecord sample() {
  return {.step = 41,
          .epoch = 2,
          .batch = 7,
          .batches = 4,
          .rows = 16,
          .padded_frames = 512,
          .tokens = 96,
          .frames = 7000,
          .earlier_padded = 9000,
          .losses = {.total = 3.5, .mel = 1.25, .prior = 1.5, .forward_sum = 2.0, .duration = 0.5},
          .learning_rate = 1e-3,
          .gradient_norm = 0.75,
          .phases = {.wait = Seconds(0.125),
                     .transfer = Seconds(0.25),
                     .forward = Seconds(1),
                     .loss = Seconds(0.5),
                     .backward = Seconds(2),
                     .optimizer = Seconds(0.0625),
                     .checkpoint = Seconds(0.03125),
                     .residual = Seconds(0.015625)}};
}

nlohmann::json line_of(const StepRecord& record) {
  Event event = to_event(record);
  event.fields["kind"] = event.kind;
  return event.fields;
}

TEST(StepRecordTest, ReadsBackWhatItWrote) {
  const Result<StepRecord> read = to_step_record(line_of(sample()));

  ASSERT_TRUE(read.ok()) << read.failure().what;
  EXPECT_EQ(read.value(), sample());
}

TEST(StepRecordTest, FramesOfAllBatchesAreThoseOfTheirOwnShapes) {
  EXPECT_EQ(sample().all_padded(), 9000 + 16 * 512);
  EXPECT_EQ(line_of(sample()).at("padded").get<std::int64_t>(), 9000 + 16 * 512);
}

TEST(StepRecordTest, InAnOlderJournalTheLastShapeStandsForAll) {
  nlohmann::json line = line_of(sample());
  line.erase("padded");

  EXPECT_EQ(to_step_record(line).value().all_padded(), 4 * 16 * 512);
}

TEST(StepRecordTest, TheWallIsTheSumOfThePhases) {
  EXPECT_DOUBLE_EQ(line_of(sample()).at("wall").get<double>(), 3.984375);
}

TEST(StepRecordTest, ALossThatIsNotFiniteIsNullInTheJournal) {
  StepRecord record = sample();
  record.losses.total = std::numeric_limits<double>::quiet_NaN();
  record.skipped = true;

  const nlohmann::json line = line_of(record);

  EXPECT_TRUE(line.at("losses").at("total").is_null());
  EXPECT_TRUE(to_step_record(line).ok());
}

TEST(StepRecordTest, ALineThatLacksAFieldNamesIt) {
  nlohmann::json line = line_of(sample());
  line.at("phases").erase("backward");

  const Result<StepRecord> read = to_step_record(line);

  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.failure().what, testing::HasSubstr("backward"));
}

TEST(StepRecordTest, ALineOfAnotherKindIsNoStep) {
  EXPECT_FALSE(to_step_record({{"kind", "slot"}}).ok());
}

}  // namespace
}  // namespace qanat
