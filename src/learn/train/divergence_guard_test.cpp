#include "train/divergence_guard.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

FinishedStep step(std::int64_t number, bool skipped) {
  return {
      .record = {.step = number, .epoch = 3, .batch = 5, .learning_rate = 1e-3, .skipped = skipped},
      .items = {4, 2},
      .updated_all = !skipped};
}

TEST(DivergenceGuardTest, SurvivesAsManyBadStepsInARowAsAllowed) {
  DivergenceGuard guard(2, nullptr);

  guard.observe(step(0, true));
  guard.observe(step(1, true));

  EXPECT_EQ(guard.skipped(), 2);
}

TEST(DivergenceGuardTest, EndsTheRunAfterOneMoreNamingPlaceAndRemedy) {
  DivergenceGuard guard(1, nullptr);
  guard.observe(step(0, true));

  try {
    guard.observe(step(1, true));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("epoch 3, batch 5"));
    EXPECT_THAT(error.what(), testing::HasSubstr("--lr"));
  }
}

TEST(DivergenceGuardTest, AGoodStepForgivesTheBadOnesBefore) {
  DivergenceGuard guard(1, nullptr);
  guard.observe(step(0, true));
  guard.observe(step(1, false));

  guard.observe(step(2, true));

  EXPECT_EQ(guard.skipped(), 2);
  EXPECT_EQ(guard.in_a_row(), 1);
}

TEST(DivergenceGuardTest, JournalsWhichUtterancesTheStepWasMadeOf) {
  EventList journal;
  DivergenceGuard guard(9, &journal);

  guard.observe(step(7, true));

  const std::vector<SkippedStep> skipped = journal.events<SkippedStep>();
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].items, (std::vector<std::uint32_t>{4, 2}));
  EXPECT_EQ(skipped[0].step, 7);
}

TEST(DivergenceGuardTest, APartThatLearnsNothingAnyMoreEndsTheRunWithoutSkippedSteps) {
  EventList journal;
  DivergenceGuard guard(1, &journal);
  FinishedStep one_part = step(0, false);
  one_part.updated_all = false;
  guard.observe(one_part);

  EXPECT_THROW(guard.observe(one_part), Error);
  EXPECT_EQ(guard.skipped(), 0);
  EXPECT_TRUE(journal.events<SkippedStep>().empty());
}

TEST(DivergenceGuardTest, GoesOnCountingAfterAResume) {
  DivergenceGuard guard(2, nullptr);
  guard.resume(5, 2);

  EXPECT_THROW(guard.observe(step(9, true)), Error);
}

}  // namespace
}  // namespace qanat
